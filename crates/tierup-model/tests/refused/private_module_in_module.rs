// export: a::b::area
pub mod a {
    mod b {
        pub fn area() {}
    }
}
