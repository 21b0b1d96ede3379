pub enum Shape {
    Circle {},
    Square(),
}
pub fn f(x: Shape) {}
