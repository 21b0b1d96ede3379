pub mod long {
    pub mod longer {
        pub struct Item {
            pub a: u8,
        }
        pub fn f(item: Item, other: crate::near::Other) {}
    }
}
pub use long::longer::f;
pub mod api {
    pub use crate::long::longer::Item;
    pub use crate::near::Other;
}
pub mod near {
    pub struct Other {
        pub b: u8,
    }
}
