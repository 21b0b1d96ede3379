mod a {
    pub(crate) fn f() {}
}
use a::f;
