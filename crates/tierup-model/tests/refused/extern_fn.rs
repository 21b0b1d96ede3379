#[unsafe(no_mangle)]
pub extern "C" fn f(x: *const u8) {}
