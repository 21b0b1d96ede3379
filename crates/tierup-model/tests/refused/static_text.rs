pub fn f(x: &'static str) {}
