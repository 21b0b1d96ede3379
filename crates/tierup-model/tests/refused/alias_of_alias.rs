type A = B;
type B = A;
pub fn f(x: A) {}
