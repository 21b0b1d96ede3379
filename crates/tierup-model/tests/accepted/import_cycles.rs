mod a {
    pub use crate::b::*;
    pub use crate::c::Two;
}
mod b {
    pub use crate::a::*;
    pub struct One {
        pub a: u8,
    }
}
mod c {
    pub use crate::a::*;
    pub struct Two {
        pub b: u8,
    }
}
pub use a::*;
pub use b::*;
pub fn f(one: One, two: Two) {}
