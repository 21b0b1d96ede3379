pub fn f() -> Vec<Result<u8, String>> {
    vec![]
}
