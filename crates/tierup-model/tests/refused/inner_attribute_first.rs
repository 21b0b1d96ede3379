#![allow(dead_code)]
pub fn f(x: u128) {}
