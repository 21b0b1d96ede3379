pub struct Nothing;
pub fn f(x: Nothing) {}
