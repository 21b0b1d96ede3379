pub struct Item {
    pub name: &'static str,
    pub data: &'static [u8],
    pub other: &'static Vec<u8>,
}
pub fn f(x: Item) {}
