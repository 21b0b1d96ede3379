pub fn f(x: std::num::NonZeroU8) {}
