pub fn f(x: [u8; 4]) {}
