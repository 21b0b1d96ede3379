pub struct Item {
    pub name: String,
    pub(crate) price: u64,
    tags: Vec<String>,
}
pub fn f(x: &[Item]) {}
