pub mod a {
    pub struct Item {
        pub a: u8,
    }
}
pub mod b {
    pub struct Item {
        pub a: super::a::Item,
    }
}
pub fn f(x: b::Item) {}
