// export: a, b, c, d, e, g, h
use std::error::Error;
use std::fmt;
use std::io;

pub fn a() -> Result<(), String> {
    Ok(())
}
pub fn b() -> io::Result<u8> {
    Ok(1)
}
pub fn c() -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
    Ok(vec![])
}
pub fn d() -> fmt::Result {
    Ok(())
}
type Result2<T, E = fmt::Error> = Result<T, E>;
pub fn e() -> Result2<String> {
    Ok(String::new())
}
pub fn g() -> std::result::Result<Option<u8>, std::num::ParseIntError> {
    Ok(None)
}
pub fn h() -> Result2<(), std::str::Utf8Error> {
    Ok(())
}
