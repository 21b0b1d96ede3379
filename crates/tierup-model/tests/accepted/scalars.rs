pub fn f(a: bool, b: i8, c: i16, d: i32, e: i64, g: u8, h: u16, i: u32, j: u64, k: usize, l: isize, m: f32, n: f64) {}
