#[cfg_attr(unix, path = "unix/mod.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod platform;
#[cfg(windows)]
mod missing;
#[path = "inside"]
mod inline {
    pub mod far;
}
pub use inline::far::Far;
pub use platform::f;
// file: src/unix/mod.rs
#[path = "helper.rs"]
mod named;
pub use named::f;
// file: src/unix/helper.rs
pub fn f(far: crate::Far) {}
// file: src/inside/far.rs
pub enum Far {
    Away,
}
