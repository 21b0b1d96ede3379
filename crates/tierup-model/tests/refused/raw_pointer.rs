pub fn f(x: *const u8) {}
