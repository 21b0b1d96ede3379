// export: render_as_pn, nothing, shapes::f, f::g
pub fn render_as_png() {}
pub mod shapes {}
