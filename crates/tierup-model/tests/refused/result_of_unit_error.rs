pub fn f() -> Result<u8, ()> {
    Ok(1)
}
