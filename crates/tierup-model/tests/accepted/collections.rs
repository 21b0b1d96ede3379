use std::collections::{BTreeMap, HashMap as Map};
use std::collections::*;

pub fn f(
    a: Map<String, u32>,
    b: BTreeMap<String, Vec<Option<f64>>>,
    c: std::collections::HashMap<std::string::String, ::std::vec::Vec<u8>>,
    d: HashMap<String, bool>,
    e: &core::option::Option<u8>,
) -> Option<Vec<String>> {
    None
}
