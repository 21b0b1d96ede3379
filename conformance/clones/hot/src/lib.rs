//! The function that the clones would call if it were built.

pub fn shout(text: &str) -> String {
    text.to_uppercase()
}
