pub fn f() -> Result<Result<u8, String>, String> {
    Ok(Ok(1))
}
