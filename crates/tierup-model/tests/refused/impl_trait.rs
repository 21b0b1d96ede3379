pub fn f(x: impl Fn(u8) -> u8) {}
