pub fn f(x: u8) {}
}
