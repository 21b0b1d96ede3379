pub fn f(x: Option<&String>) {}
