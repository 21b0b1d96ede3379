pub fn f(x: Option<Option<u8>>) {}
