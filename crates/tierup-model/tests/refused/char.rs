pub fn f(x: char) {}
