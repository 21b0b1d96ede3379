pub fn f(x: &std::path::Path) {}
