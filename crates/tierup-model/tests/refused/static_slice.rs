pub fn f(x: &'static [u16]) {}
