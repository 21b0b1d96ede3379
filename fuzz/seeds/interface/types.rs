use std::collections::BTreeMap;
mod shapes { #[derive(Clone)] pub struct Item { pub id: u32, pub tags: Vec<String> } }
pub use shapes::Item;
type Bytes = Vec<u8>;
pub enum Kind { Small, Large(u8, f32), Named { of: Option<Item> } }
pub struct Nothing {}
/// Draws.
pub fn render(text: &str, kinds: &[Kind], of: BTreeMap<String, i64>, no: Nothing) -> Result<Bytes, String> { Err(text.into()) }
