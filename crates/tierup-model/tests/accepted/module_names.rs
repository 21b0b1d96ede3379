// export: crate::shapes::area, fixture::f, r#type, shapes::r#fn
pub mod shapes {
    pub fn area() {}
    pub fn r#fn(r#struct: r#impl::r#enum) {}
    pub mod r#impl {
        #[allow(non_camel_case_types)]
        pub enum r#enum {
            r#match { r#let: u8 },
        }
    }
}
pub fn f() {}
pub fn r#type(r#fn: &str) {}
