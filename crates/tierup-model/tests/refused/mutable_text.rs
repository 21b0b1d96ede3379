pub fn f(x: Option<&mut str>) {}
