//! The function as in the article that this example comes from: the crates `qrcode` and `image`, as few lines as possible.
//!
//! It shows what Rust is worth where the code stays as it was: the picture has a byte for each pixel, and a compressor is set
//! up for each call.

use image::Luma;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use qrcode::{EcLevel, QrCode};

use crate::QrError;

/// Answers as [`generate_qr_code`](crate::generate_qr_code) does: the same text in the picture, which is at least 200 pixels
/// wide and high, and often larger.
///
/// # Errors
///
/// Those of [`generate_qr_code`](crate::generate_qr_code).
pub fn generate_qr_code_as_in_the_article(text: &str) -> Result<Vec<u8>, QrError> {
    if text.is_empty() {
        return Err(QrError::EmptyText);
    }
    let code = QrCode::with_error_correction_level(text, EcLevel::L)
        .map_err(|_| QrError::TextTooLong { bytes: text.len() })?;
    let picture = code.render::<Luma<u8>>().min_dimensions(200, 200).build();
    let mut file = Vec::with_capacity(512);
    let encoder = PngEncoder::new_with_quality(&mut file, CompressionType::Default, FilterType::NoFilter);
    picture.write_with_encoder(encoder).expect("a vector takes all that is written to it");
    Ok(file)
}
