// export: f, f, shapes::f
pub mod shapes {
    pub use super::f;
}
pub fn f() {}
