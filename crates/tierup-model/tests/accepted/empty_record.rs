pub struct Nothing {}

pub fn f(x: Nothing) -> Vec<Nothing> {
    vec![x]
}
