pub struct Point {
    pub x: u8,
}
pub fn f(Point { x }: Point, _: u8, mut arg3: u8, (arg4): u8, _unused: u8, ref r: String, whole @ _: u8) {}
