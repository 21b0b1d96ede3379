#[allow(non_snake_case)]
pub fn Item(item: Item) -> Item {
    item
}
pub struct Item {
    pub a: u8,
}
// export: Item
