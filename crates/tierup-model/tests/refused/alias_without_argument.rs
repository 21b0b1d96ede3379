type Named<T> = Vec<T>;
pub fn f(x: Named) {}
