pub fn f(x: Vec<u128>) {}
