mod shapes;
mod other {
    mod inner;
}
pub fn f() {}
