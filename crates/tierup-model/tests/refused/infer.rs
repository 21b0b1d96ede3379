pub fn f(x: _) {}
