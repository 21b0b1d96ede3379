pub fn f<T: Into<String>>(x: T, y: Vec<T>) -> char {
    'a'
}
