pub fn f(x: &[u16]) -> Option<&[u16]> {
    None
}
