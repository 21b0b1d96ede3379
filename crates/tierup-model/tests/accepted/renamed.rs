// export: measure
mod shapes {
    pub struct Item {
        pub a: u8,
    }
    pub fn area(item: Item) {}
    pub mod other {
        pub struct Item {
            pub b: super::Item,
        }
        pub fn area(item: Item) {}
    }
}
pub use shapes::{Item, other::Item as OtherItem, other::area as measure};
