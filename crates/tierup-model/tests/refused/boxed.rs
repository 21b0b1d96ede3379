pub fn f(x: Box<String>) {}
