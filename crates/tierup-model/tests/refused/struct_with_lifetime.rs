pub struct Item<'a> {
    pub name: &'a str,
}
pub fn f(item: Item<'_>) {}
