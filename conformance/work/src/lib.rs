//! How fast the Wasm of each host's runtime is: five kinds of work as servers have it, by crates that many use.
//! `README.md` says how to measure them.

use image::{
    ImageEncoder as _, Luma,
    codecs::png::{CompressionType, FilterType, PngEncoder},
};
use qrcode::{EcLevel, QrCode};
use sha2::{Digest as _, Sha256};

/// Pictures: `count` QR codes of one text as PNGs, drawn by `qrcode` and compressed by `image`, at the most 100. Their
/// lengths, together.
pub fn draw_codes(text: &str, count: u32) -> Result<u64, String> {
    let mut bytes = 0;
    for _ in 0..count.min(100) {
        let code = QrCode::with_error_correction_level(text, EcLevel::L).map_err(|error| error.to_string())?;
        let picture = code.render::<Luma<u8>>().min_dimensions(200, 200).build();
        let mut png = Vec::with_capacity(512);
        let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Default, FilterType::NoFilter);
        let (width, height) = picture.dimensions();
        encoder
            .write_image(picture.as_raw(), width, height, image::ExtendedColorType::L8)
            .map_err(|error| error.to_string())?;
        bytes += png.len() as u64;
    }
    Ok(bytes)
}

/// Compression: `count` words by DEFLATE, at level 6. The length of what comes out.
pub fn compress(seed: u64, count: u32) -> u64 {
    miniz_oxide::deflate::compress_to_vec(words(seed, count).as_bytes(), 6).len() as u64
}

/// Hashing: SHA-256 of `count` words. Its first byte.
pub fn digest(seed: u64, count: u32) -> u8 {
    Sha256::digest(words(seed, count).as_bytes())[0]
}

/// JSON: a list of `count` objects, written, read into a tree and written again. The length of the text.
pub fn reread_json(seed: u64, count: u32) -> Result<u64, String> {
    let words = words(seed, count);
    let objects = words.split_whitespace().zip(0_u32..);
    let list: Vec<_> = objects
        .map(|(word, id)| serde_json::json!({ "name": word, "id": id, "share": f64::from(id % 97) + 0.5 }))
        .collect();
    let text = serde_json::Value::from(list).to_string();
    let tree: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(tree.to_string().len() as u64)
}

/// Numbers: a square matrix of `side` rows, from 1 to 500, times itself. The sum of its elements.
pub fn square_matrix(seed: u64, side: u32) -> f64 {
    let side = side.clamp(1, 500) as usize;
    let matrix: Vec<f64> = (0..(side * side) as u64).map(|index| (seed.wrapping_add(index) % 17) as f64).collect();
    let mut product = vec![0.0; side * side];
    for (row, sums) in matrix.chunks_exact(side).zip(product.chunks_exact_mut(side)) {
        for (factor, other) in row.iter().zip(matrix.chunks_exact(side)) {
            sums.iter_mut().zip(other).for_each(|(sum, element)| *sum += factor * element);
        }
    }
    product.iter().sum()
}

/// So many words of a small language, at the most 1,000,000, that no compiler foresees.
fn words(seed: u64, count: u32) -> String {
    const WORDS: [&str; 8] = ["alpha ", "beta ", "gamma ", "delta ", "epsilon ", "zeta ", "eta ", "theta "];
    let mut state = seed;
    let next = || {
        // Knuth's constants for a linear congruential generator (MMIX), whose upper bits are the good ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        WORDS[(state >> 61) as usize]
    };
    std::iter::repeat_with(next).take(count.min(1_000_000) as usize).collect()
}
