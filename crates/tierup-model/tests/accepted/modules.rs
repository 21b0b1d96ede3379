// export: area, deep::down, f, shapes::outline::perimeter
mod shapes;
pub mod deep;
#[path = "elsewhere/far.rs"]
mod far;
mod tests_only {
    #[cfg(test)]
    mod tests;
}
#[cfg(feature = "not-here")]
mod optional;

pub use far::*;
pub use shapes::{Shape, area, area as surface};
// file: src/shapes.rs
pub mod outline;
pub struct Shape {
    pub sides: Vec<Side>,
}
pub use self::side::Side;
mod side {
    pub struct Side {
        pub length: f64,
    }
}
pub fn area(shape: &Shape) -> f64 {
    0.0
}
// file: src/shapes/outline.rs
use super::*;
pub fn perimeter(shape: &Shape) -> f64 {
    0.0
}
// file: src/deep/mod.rs
mod inner;
pub use inner::down;
// file: src/deep/inner.rs
pub fn down(shape: crate::shapes::Shape) {}
// file: src/elsewhere/far.rs
mod near;
pub fn f() -> near::Near {
    near::Near::Here
}
pub use near::Near;
pub use crate::shapes::{outline, Side};
// file: src/elsewhere/near.rs
pub enum Near {
    Here,
}
