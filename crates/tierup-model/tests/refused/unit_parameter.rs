pub fn f(x: ()) {}
