pub enum Never {}
pub fn f(x: Never) {}
