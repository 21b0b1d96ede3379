pub mod shapes;
pub use shapes::f;
// file: src/shapes.rs
use std::rc::Rc;

/// Docs.
pub fn f(x: Rc<u8>) {}
