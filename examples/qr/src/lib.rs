//! Text in, the PNG of a QR code out.
//!
//! [`generate_qr_code`] is what the servers call: well-kept crates and the loop between them. Two others do the same, and are
//! rows of their own: [`article`] with the crates of the article (`3:native#article`), and [`by_hand`] with an encoder and a
//! compressor written for this picture (`3:native#extreme`).

pub mod article;
pub mod by_hand;

use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::iter;

use fast_qr::{ECL, QRBuilder, QRCode};
use flate2::{Compress, CompressError, Compression, FlushCompress};
use png::{BitDepth, ColorType, Encoder, EncodingError, chunk};

/// The width and the height of every picture, in pixels.
const PIXELS: usize = 200;
/// Light modules that a reader needs around a QR code, on each side.
const QUIET_ZONE: usize = 4;
const ROW_BYTES: usize = PIXELS / 8;

/// Draws `text` as a QR code and returns it as a PNG file.
///
/// The picture is always 200 x 200 pixels, black on white, with one bit per pixel. Every module of
/// the code is the same whole number of pixels wide, as many as fit beside a quiet zone of at least
/// four modules on each side. The error correction level is L: up to 7 % of the code may be
/// unreadable. Equal texts give equal bytes.
///
/// Texts of digits only, or of upper-case letters and digits, are packed more tightly than others; everything else is stored
/// as UTF-8. What always fits is 2953 bytes of UTF-8, 4296 characters out of `0-9A-Z $%*+-./:`, or
/// 7089 digits. Beyond 718 bytes, modules are a single pixel wide: correct, but hard to scan from
/// paper.
///
/// # Errors
///
/// [`QrError::EmptyText`] if there is nothing to encode, and [`QrError::TextTooLong`] if `text` does
/// not fit into the largest QR code there is.
pub fn generate_qr_code(text: &str) -> Result<Vec<u8>, QrError> {
    if text.is_empty() {
        return Err(QrError::EmptyText);
    }
    let code = QRBuilder::new(text).ecl(ECL::L).build();
    let code = code.map_err(|_| QrError::TextTooLong { bytes: text.len() })?;
    let data = compressed(&pixels(&code)).expect("a compressor that was reset takes any bytes");
    Ok(png_file(&data).expect("a picture of constant size, written to memory"))
}

/// The picture, one bit per pixel: the code in the middle, dark modules 0 and everything else 1.
fn pixels(code: &QRCode) -> [u8; PIXELS * ROW_BYTES] {
    let mut pixels = [0xff; PIXELS * ROW_BYTES];
    let scale = PIXELS / (code.size + 2 * QUIET_ZONE);
    let margin = (PIXELS - code.size * scale) / 2;
    for row in 0..code.size {
        let first = (margin + row * scale) * ROW_BYTES;
        for column in (0..code.size).filter(|column| code[row][*column].value()) {
            for x in margin + column * scale..margin + (column + 1) * scale {
                pixels[first + x / 8] &= !(0x80 >> (x % 8));
            }
        }
        // A row of modules is the same line of pixels several times.
        for line in 1..scale {
            pixels.copy_within(first..first + ROW_BYTES, first + line * ROW_BYTES);
        }
    }
    pixels
}

thread_local! {
    /// Kept, because setting up a compressor takes several times as long as compressing such a picture.
    static COMPRESSOR: RefCell<Compress> = RefCell::new(Compress::new(Compression::default(), true));
}

fn compressed(pixels: &[u8]) -> Result<Vec<u8>, CompressError> {
    // Each line begins with its filter: none, as lines that repeat are found without one.
    let lines: Vec<u8> =
        pixels.chunks_exact(ROW_BYTES).flat_map(|line| iter::once(0).chain(line.iter().copied())).collect();
    let mut data = Vec::with_capacity(lines.len() + 64);
    COMPRESSOR.with_borrow_mut(|compressor| {
        compressor.reset();
        compressor.compress_vec(&lines, &mut data, FlushCompress::Finish)
    })?;
    Ok(data)
}

fn png_file(data: &[u8]) -> Result<Vec<u8>, EncodingError> {
    let mut file = Vec::with_capacity(data.len() + 64);
    let mut encoder = Encoder::new(&mut file, PIXELS as u32, PIXELS as u32);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::One);
    let mut writer = encoder.write_header()?;
    writer.write_chunk(chunk::IDAT, data)?;
    writer.finish()?;
    Ok(file)
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
