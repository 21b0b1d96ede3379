pub struct String {
    pub text: std::string::String,
}
pub mod mine {
    pub struct Option {
        pub some: bool,
    }
}
use mine::*;

pub fn f(a: String, b: Option) {}
