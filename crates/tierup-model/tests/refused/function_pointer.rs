pub fn f(x: fn(u8) -> u8) {}
