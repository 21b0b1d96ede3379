#![allow(dead_code)]
extern crate self as fixture;
use fixture::inner::Item as I;
macro_rules! make {
    ($name:ident) => {
        pub fn $name() {}
    };
}
make!(made);
pub mod inner {
    pub struct Item {
        pub a: u8,
    }
    impl Item {
        pub const LIMIT: usize = { 1 + 2 };
        pub fn new() -> [u8; { 1 << 3 }] {
            [0; 8]
        }
    }
    impl<const N: usize> From<[u8; N]> for Item {
        fn from(from: [u8; N]) -> Self {
            Item { a: from[0] }
        }
    }
}
static TABLE: [u8; 2 + 2] = [0; 4];
const fn helper<T>(value: &T) -> &T
where
    T: Copy,
    Vec<T>: Clone,
{
    value
}
pub trait Draw {
    const SIZE: usize = 1;
    fn draw(&self) -> ! {
        loop {}
    }
}
unsafe extern "C" {
    fn abs(value: i32) -> i32;
}
pub const fn f(item: I) -> u8 {
    0
}
