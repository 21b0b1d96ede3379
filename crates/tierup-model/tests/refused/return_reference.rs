pub struct Item {
    pub a: u8,
}
pub fn f(x: &Item) -> &Item {
    x
}
