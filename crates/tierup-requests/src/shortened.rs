//! Shortens the user's texts for messages.

/// The start of a text that may be long, to be part of a message.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 100;
    if text.len() <= MOST { text.to_owned() } else { format!("{}…", &text[..text.floor_char_boundary(MOST)]) }
}
