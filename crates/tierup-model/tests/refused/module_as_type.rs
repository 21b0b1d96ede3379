// export: f, shapes
pub mod shapes {}
pub fn f(x: shapes) {}
