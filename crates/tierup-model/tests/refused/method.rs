// export: Item::new, shapes::Item::area
pub struct Item {
    pub a: u8,
}
impl Item {
    pub fn new() -> Item {
        Item { a: 1 }
    }
}
pub mod shapes {
    pub use super::Item;
}
