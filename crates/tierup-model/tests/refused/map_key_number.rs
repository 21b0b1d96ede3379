pub fn f(x: std::collections::BTreeMap<u32, Vec<char>>) {}
