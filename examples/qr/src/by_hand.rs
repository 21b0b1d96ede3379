//! The same picture without a library for the picture: everything is written for this one shape of it.
//!
//! [`generate_qr_code_by_hand`] goes through three steps, a module each: `codewords` (text to the bytes that a symbol carries),
//! `symbol` (those bytes to dark and light modules, under the best of the eight masks) and `png` (modules to a picture of
//! 200 x 200 pixels).
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

use crate::QrError;
use crate::by_hand::codewords::Codewords;
use crate::by_hand::symbol::Symbol;

/// Answers as [`generate_qr_code`](crate::generate_qr_code) does: the same text in the picture, not the same bytes. Digits
/// and upper-case text inside other text are packed tightly too.
///
/// # Errors
///
/// Those of [`generate_qr_code`](crate::generate_qr_code).
pub fn generate_qr_code_by_hand(text: &str) -> Result<Vec<u8>, QrError> {
    let mut codewords = Codewords::new();
    codewords.encode(text)?;
    let mut symbol = Symbol::new();
    symbol.draw(&codewords);
    Ok(png::encode(&symbol))
}
