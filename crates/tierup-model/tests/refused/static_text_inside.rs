pub fn f(x: Vec<&'static str>) {}
