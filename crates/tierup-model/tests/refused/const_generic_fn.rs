pub fn f<const N: usize>(x: [u8; N]) {}
