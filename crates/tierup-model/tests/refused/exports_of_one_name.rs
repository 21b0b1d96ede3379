// export: area, shapes::area
pub fn area() {}
pub mod shapes {
    pub fn area() {}
}
