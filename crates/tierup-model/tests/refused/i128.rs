pub fn f(x: i128) {}
