mod m {
    pub type Many<T> = Vec<Option<T>>;
}
pub fn f(x: m::Many<char>) {}
