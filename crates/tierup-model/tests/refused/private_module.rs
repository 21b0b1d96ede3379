// export: shapes::area
mod shapes {
    pub fn area() {}
}
