pub fn f(x: Vec) {}
