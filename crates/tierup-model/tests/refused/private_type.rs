mod shapes {
    pub struct Shape {
        pub a: u8,
    }
    pub(crate) enum Kind {
        A,
    }
}
use shapes::*;
pub fn f(a: Shape, b: &Shape, c: Kind) {}
