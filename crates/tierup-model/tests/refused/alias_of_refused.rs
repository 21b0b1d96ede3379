type Key = u32;
type Prices = std::collections::HashMap<Key, u128>;
pub fn f(x: Prices) -> Prices {
    x
}
