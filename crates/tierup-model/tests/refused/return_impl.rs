pub fn f() -> impl Iterator<Item = u8> {
    [].into_iter()
}
