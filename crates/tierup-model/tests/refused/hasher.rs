pub fn f(x: std::collections::HashMap<String, u8, Hasher>) {}
pub struct Hasher;
