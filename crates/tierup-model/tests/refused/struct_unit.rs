pub struct Nothing;
pub struct Empty {}
pub fn f(x: Nothing, y: Empty) {}
