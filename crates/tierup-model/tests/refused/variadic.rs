pub unsafe extern "C" fn f(x: u8, ...) {}
