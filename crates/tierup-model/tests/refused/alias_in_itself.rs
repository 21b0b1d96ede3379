type A = Vec<A>;
pub fn f(x: A) {}
