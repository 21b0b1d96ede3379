pub fn f(x: HashMap<String, u8>) {}
