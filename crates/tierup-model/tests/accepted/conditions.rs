#[cfg(test)]
pub fn f(a: u128) {}
#[cfg(feature = "fast")]
pub fn f(a: u8) {}
#[cfg(not(feature = "fast"))]
pub fn f(a: u8) {}
#[cfg(test)]
mod tests {
    use super::*;
    struct Item;
}
