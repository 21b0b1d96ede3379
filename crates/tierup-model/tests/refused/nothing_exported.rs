// export:
pub fn f() {}
