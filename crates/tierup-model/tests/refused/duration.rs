pub fn f(x: std::time::Duration) {}
