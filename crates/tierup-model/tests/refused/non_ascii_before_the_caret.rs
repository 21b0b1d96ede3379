pub fn f(größe: &str, 価格: u128) {}
