pub fn f(x: <u8 as Iterator>::Item) {}
