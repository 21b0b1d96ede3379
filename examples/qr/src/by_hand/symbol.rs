//! Codewords to modules: places them, chooses the mask and applies it.

use std::iter::repeat_n;

use arrayvec::ArrayVec;

use crate::by_hand::bits::Bits;
use crate::by_hand::codewords::Codewords;
use crate::by_hand::layout::{self, AnyLayout, Layout, MASK_COUNT, MOST_MODULES};
use crate::by_hand::penalty::{Candidates, penalties};

/// Words in the widest row.
const MAX_WORDS: usize = MOST_MODULES.div_ceil(64);

/// A finished QR code, without its quiet zone.
pub(crate) struct Symbol {
    /// The width and the height in modules.
    pub(crate) size: usize,
    /// From the top; a set bit is a dark module.
    pub(crate) rows: ArrayVec<Bits<MAX_WORDS>, MOST_MODULES>,
}

impl Symbol {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Self { size: 0, rows: ArrayVec::new() }
    }

    /// Draws the symbol that carries `codewords`, under the mask that the standard prefers.
    pub(crate) fn draw(&mut self, codewords: &Codewords) {
        match layout::of_version(codewords.version) {
            AnyLayout::Narrow(layout) => self.draw_on(layout, &codewords.bytes),
            AnyLayout::Medium(layout) => self.draw_on(layout, &codewords.bytes),
            AnyLayout::Wide(layout) => self.draw_on(layout, &codewords.bytes),
        }
    }

    fn draw_on<const W: usize>(&mut self, layout: &Layout<W>, codewords: &[u8]) {
        let mut data = ArrayVec::new();
        place(layout, codewords, &mut data);
        let mut candidates = Candidates::new();
        candidates.lay(layout, &data);
        let penalties = penalties(&candidates);
        let best = (0..MASK_COUNT).min_by_key(|&mask| penalties[mask]).unwrap_or(0);
        self.size = layout.size;
        self.rows.extend(candidates.rows(best).map(|row| {
            let mut widened = Bits::NONE;
            widened.0[..W].copy_from_slice(&row.0);
            widened
        }));
    }
}

/// The codewords' bits where they belong, everything else light. A version's data modules may be up
/// to seven more than its codewords have bits; these remainder bits are zero.
fn place<const W: usize>(layout: &Layout<W>, codewords: &[u8], rows: &mut ArrayVec<Bits<W>, MOST_MODULES>) {
    rows.extend(repeat_n(Bits::NONE, layout.size));
    for (&codeword, modules) in codewords.iter().zip(layout.data_modules.as_chunks::<8>().0) {
        for (place, module) in modules.iter().enumerate() {
            let bit = codeword >> (7 - place) & 1;
            rows[module.y()].set(module.x(), bit == 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::codewords::MAX_VERSION;
    use qrcode::canvas::{Canvas, MaskPattern};
    use qrcode::types::{Color, EcLevel, Version};

    /// The library draws the same codewords module by module; only its choice of mask is its own.
    #[test]
    fn symbols_are_the_librarys_under_one_of_its_masks() {
        const MASKS: [MaskPattern; MASK_COUNT] = [
            MaskPattern::Checkerboard,
            MaskPattern::HorizontalLines,
            MaskPattern::VerticalLines,
            MaskPattern::DiagonalLines,
            MaskPattern::LargeCheckerboard,
            MaskPattern::Fields,
            MaskPattern::Diamonds,
            MaskPattern::Meadow,
        ];
        let mut version = 0;
        // The shortest text of each version.
        for length in 1..=2953 {
            let text: String = (0..length).map(|i| char::from(b'a' + (i * i % 23) as u8)).collect();
            let mut codewords = Codewords::new();
            codewords.encode(&text).unwrap();
            if codewords.version == version {
                continue;
            }
            version = codewords.version;
            let mut symbol = Symbol::new();
            symbol.draw(&codewords);

            let mut canvas = Canvas::new(Version::Normal(codewords.version), EcLevel::L);
            canvas.draw_all_functional_patterns();
            canvas.draw_data(&codewords.bytes, &[]);
            let is_same = MASKS.into_iter().any(|mask| {
                let mut masked = canvas.clone();
                masked.apply_mask(mask);
                let mut colors = masked.into_colors().into_iter();
                symbol.rows.iter().all(|row| {
                    (0..symbol.size)
                        .all(|x| (row.0[x / 64] >> (x % 64) & 1 == 1) == (colors.next() == Some(Color::Dark)))
                })
            });
            assert!(is_same, "version {version}");
        }
        assert_eq!(version, MAX_VERSION);
    }
}
