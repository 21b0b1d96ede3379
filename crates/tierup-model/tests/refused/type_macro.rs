pub fn f(x: my_type!(u8)) {}
