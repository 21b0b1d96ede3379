pub struct Metres(pub f64);
pub struct Pair(pub u8, pub String);
pub fn f(x: Metres, y: Pair) {}
