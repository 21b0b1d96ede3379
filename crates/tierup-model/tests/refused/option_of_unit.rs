pub fn f(x: Option<()>) {}
