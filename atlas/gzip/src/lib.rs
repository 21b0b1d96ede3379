//! A text in, the same text compressed out, as a server compresses its answers.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

/// Compresses a text by gzip at level 6, which is the default of most servers.
///
/// # Errors
/// None: the text is compressed in memory.
pub fn compress(text: &str) -> Result<Vec<u8>, std::io::Error> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4 + 32), Compression::new(6));
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}
