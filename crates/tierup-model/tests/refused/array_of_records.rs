pub fn f(x: &[[f64; 2]]) {}
