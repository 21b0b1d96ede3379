pub union Either {
    pub a: u32,
    pub b: f32,
}
pub fn f(x: Either) {}
