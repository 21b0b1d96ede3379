pub fn f(x: Result<u8, String>) {}
