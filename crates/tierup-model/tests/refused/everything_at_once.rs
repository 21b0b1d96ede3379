// export: one, two, three, four
pub async fn one(x: (u8, u8), y: char) -> Box<u8> {
    Box::new(1)
}
pub struct Item {
    pub a: char,
    b: u8,
}
pub fn two(x: Item) -> Item {
    x
}
pub fn three(x: Option<Item>) -> Option<Option<u8>> {
    None
}
