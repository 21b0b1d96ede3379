pub struct Item {
    pub a: u8,
}
pub fn f(x: Itm, y: Shape, z: shapes::Shape) {}
pub mod shapes {}
