#[path = "lib.rs"]
mod again;
pub fn f() {}
