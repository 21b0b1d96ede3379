pub fn f(x: &mut Vec<u8>) {}
