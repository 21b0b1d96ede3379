pub trait Draw {}
pub fn f(x: Draw) {}
