//! Text in, the PNG of a QR code out.
//!
//! [`generate_qr_code`] is the whole interface. It goes through three steps, a module each:
//! `codewords` (text to the bytes that a symbol carries), `symbol` (those bytes to dark and light
//! modules, under the best of the eight masks) and `png` (modules to a picture of 200 x 200 pixels).
//!
//! The answer is all that a call allocates: many small vectors at once would leave a server's heap in pieces. What is worked
//! on lies on the stack, about 80 KB at most, in arrays with room for version 40. They are passed to be filled rather
//! than returned, or collected: that would copy their unused room as well.

mod bits;
mod codewords;
mod correction;
mod data;
mod deflate;
mod huffman;
mod layout;
mod output;
mod penalty;
mod png;
mod runs;
mod strips;
mod symbol;

use std::error::Error;
use std::fmt;

use crate::codewords::Codewords;
use crate::symbol::Symbol;

/// Draws `text` as a QR code and returns it as a PNG file.
///
/// The picture is always 200 x 200 pixels, black on white, with one bit per pixel. Every module of
/// the code is the same whole number of pixels wide, as many as fit beside a quiet zone of at least
/// four modules on each side. The error correction level is L: up to 7 % of the code may be
/// unreadable. Equal texts give equal bytes.
///
/// Digits and upper-case text are packed more tightly than other text; everything else is stored as
/// UTF-8. What always fits is 2953 bytes of UTF-8, 4296 characters out of `0-9A-Z $%*+-./:`, or
/// 7089 digits. Beyond 718 bytes, modules are a single pixel wide: correct, but hard to scan from
/// paper.
///
/// # Errors
///
/// [`QrError::EmptyText`] if there is nothing to encode, and [`QrError::TextTooLong`] if `text` does
/// not fit into the largest QR code there is.
pub fn generate_qr_code(text: &str) -> Result<Vec<u8>, QrError> {
    let mut codewords = Codewords::new();
    codewords.encode(text)?;
    let mut symbol = Symbol::new();
    symbol.draw(&codewords);
    Ok(png::encode(&symbol))
}

/// Why a text has no QR code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QrError {
    /// The text is empty.
    EmptyText,
    /// The text needs more room than the largest symbol has: version 40, which at 177 modules and
    /// its quiet zone still fits into 200 pixels.
    TextTooLong {
        /// The length of the text in bytes of UTF-8.
        bytes: usize,
    },
}

impl fmt::Display for QrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyText => f.write_str("there is no text to encode"),
            Self::TextTooLong { bytes } => {
                write!(f, "text of {bytes} bytes does not fit into a QR code, which holds 2953")
            }
        }
    }
}

impl Error for QrError {}
