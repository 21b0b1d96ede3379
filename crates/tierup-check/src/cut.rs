//! Cuts texts for people. In: a text and a number of characters. Out: its beginning, with its size.

/// A text cut to this many characters, with its size if it was longer.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
