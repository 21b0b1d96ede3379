use crate::shapes::Shape;
pub mod shapes {
    macros::make!(Shape);
}
pub fn f(x: Shape) {}
