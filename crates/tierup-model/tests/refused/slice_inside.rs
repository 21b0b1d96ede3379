pub fn f(x: Vec<&[u16]>) {}
