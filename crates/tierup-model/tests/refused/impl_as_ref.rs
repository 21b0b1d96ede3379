pub fn f(x: impl AsRef<str>) {}
