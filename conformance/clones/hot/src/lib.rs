//! What the clones would call.

pub fn shout(text: &str) -> String {
    text.to_uppercase()
}
