pub enum Op {
    Add(i64),
    Sum(Vec<i64>),
}
pub struct Two {
    pub a: Op,
    pub b: Op,
}
pub fn f(two: Two, op: Op) {}
