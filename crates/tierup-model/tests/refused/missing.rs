// export: generate_qr_cod, nothing, shapes::f, f::g
pub fn generate_qr_code() {}
pub mod shapes {}
