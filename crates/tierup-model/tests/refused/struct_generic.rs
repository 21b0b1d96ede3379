pub struct Item<T> {
    pub value: T,
    pub values: Vec<T>,
}
pub enum Maybe<T> {
    Yes(T),
    No,
}
pub fn f(item: Item<u8>, other: Item<String>, maybe: Maybe<bool>) {}
