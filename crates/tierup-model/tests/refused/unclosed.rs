pub fn g() {}
pub fn f(x: u8) {
    if x {
}
