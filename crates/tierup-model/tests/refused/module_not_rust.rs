mod shapes;
pub fn f() {}
// file: src/shapes.rs
pub fn g( {}
