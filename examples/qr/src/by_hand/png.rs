//! Modules to a PNG file (W3C Portable Network Graphics, third edition).

use arrayvec::ArrayVec;

use crate::by_hand::deflate::zlib;
use crate::by_hand::layout::MOST_MODULES;
use crate::by_hand::strips::{ROW_BYTES, Strip};
use crate::by_hand::symbol::Symbol;

/// The width and the height of every picture, in pixels.
pub(crate) const PIXELS: usize = 200;
/// A row of modules each, and a margin above and below.
const MOST_STRIPS: usize = MOST_MODULES + 2;
/// Light modules that a reader needs around a QR code, on each side.
const QUIET_ZONE: usize = 4;

/// The signature, and what the picture is: 200 x 200 pixels of one bit; grey scale, the only method of compression and of
/// filtering, not interlaced are all 0.
const START: [u8; 33] = *b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\xc8\0\0\0\xc8\x01\0\0\0\0\x85\x23\x93\x33";
const END: [u8; 12] = *b"\0\0\0\0IEND\xaeB`\x82";
/// What a chunk has beside its data: a length, a name and a checksum.
const AROUND_DATA: usize = 12;

/// Draws `symbol` in the middle of the picture, dark modules black and everything else white.
pub(crate) fn encode(symbol: &Symbol) -> Vec<u8> {
    let mut strips = ArrayVec::new();
    push_strips(symbol, &mut strips);
    let mut pixels = ArrayVec::new();
    zlib(&strips, &mut pixels);
    let mut file = Vec::with_capacity(START.len() + pixels.len() + AROUND_DATA + END.len());
    file.extend_from_slice(&START);
    push_chunk(b"IDAT", &pixels, &mut file);
    file.extend_from_slice(&END);
    file
}

fn push_chunk(name: &[u8; 4], data: &[u8], file: &mut Vec<u8>) {
    file.extend_from_slice(&(data.len() as u32).to_be_bytes());
    let checked = file.len();
    file.extend_from_slice(name);
    file.extend_from_slice(data);
    file.extend_from_slice(&crc32fast::hash(&file[checked..]).to_be_bytes());
}

/// The picture from the top: margin, one strip for each row of modules, margin.
fn push_strips(symbol: &Symbol, strips: &mut ArrayVec<Strip, MOST_STRIPS>) {
    let scale = PIXELS / (symbol.size + 2 * QUIET_ZONE);
    let width = symbol.size * scale;
    // Half of what is left over, to the nearest multiple of four: where modules are an even number of
    // pixels wide, this way fewer bytes hold parts of three of them, and fewer different bytes have
    // shorter codes. It moves the symbol by two pixels at most and never into its quiet zone, which
    // is a multiple of four pixels wide itself.
    let margin = (PIXELS - width + 4) / 8 * 4;
    let white = [0xff; ROW_BYTES - 1];

    strips.push(Strip { row: scanline(white), repeat: margin });
    for row in &symbol.rows {
        let mut pixels = white;
        for (word, mut dark) in row.0.into_iter().enumerate() {
            while dark != 0 {
                let module = 64 * word + dark.trailing_zeros() as usize;
                dark &= dark - 1;
                blacken(&mut pixels, margin + module * scale, scale);
            }
        }
        strips.push(Strip { row: scanline(pixels), repeat: scale });
    }
    strips.push(Strip { row: scanline(white), repeat: PIXELS - margin - width });
}

/// Clears `count` pixels from `start` on; at most 9, so that they touch no more than two bytes.
fn blacken(pixels: &mut [u8; ROW_BYTES - 1], start: usize, count: usize) {
    let run = ((1 << count) - 1) << (16 - count - start % 8);
    pixels[start / 8] &= !((run >> 8) as u8);
    // Behind the last byte is nothing to clear: the quiet zone is wider than what is left of it.
    if let Some(next) = pixels.get_mut(start / 8 + 1) {
        *next &= !(run as u8);
    }
}

/// Puts the filter type before the pixels: none.
fn scanline(pixels: [u8; ROW_BYTES - 1]) -> [u8; ROW_BYTES] {
    let mut row = [0; ROW_BYTES];
    row[1..].copy_from_slice(&pixels);
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_files_have_is_made_of_chunks() {
        let mut start = START[..8].to_vec();
        let side = (PIXELS as u32).to_be_bytes();
        push_chunk(b"IHDR", &[&side[..], &side[..], &[1, 0, 0, 0, 0]].concat(), &mut start);
        assert_eq!(start, START);
        let mut end = Vec::new();
        push_chunk(b"IEND", &[], &mut end);
        assert_eq!(end, END);
    }
}
