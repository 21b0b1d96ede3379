use serde_json::*;
pub fn f(x: Shape) {}
