pub fn f(x: std::collections::HashMap<&str, u8>) {}
