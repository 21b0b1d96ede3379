pub fn f(x: &dyn std::fmt::Display) {}
