pub fn f(x: std::alloc::Layout) {}
