#[non_exhaustive]
pub struct Item {
    pub a: u8,
}
#[non_exhaustive]
pub enum Kind {
    A,
}
pub enum Shape {
    #[non_exhaustive]
    Circle { radius: f64 },
}
pub fn f(x: Item, y: Kind, z: Shape) {}
