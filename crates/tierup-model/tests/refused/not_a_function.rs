// export: LIMIT, TABLE, Item, Shape, Draw, Alias, shapes, make, abs, Pair
pub const LIMIT: u8 = 1;
pub static TABLE: u8 = 1;
pub struct Item {
    pub a: u8,
}
pub enum Shape {
    A,
}
pub trait Draw {}
pub type Alias = u8;
pub mod shapes {}
macro_rules! make {
    () => {};
}
unsafe extern "C" {
    pub fn abs(value: i32) -> i32;
}
pub struct Pair(u8, u8);
