pub fn f() {
    "abc
}
