// export: area
pub mod shapes {
    pub fn area() {}
}
