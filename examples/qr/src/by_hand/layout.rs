//! What all symbols of one version have in common, worked out once per process.
//!
//! A finished symbol is the exclusive or of two pictures: the codewords, placed where the version
//! has room for them, and an *overlay* that depends on version and mask alone: function patterns,
//! format information and the mask itself. The `qrcode` crate draws the overlays, so the shapes that
//! the standard prescribes are its; drawing and masking a symbol is then one XOR per row.

use std::sync::OnceLock;

use qrcode::canvas::{Canvas, MaskPattern, Module};
use qrcode::types::{Color, EcLevel, Version};

use crate::by_hand::bits::Bits;
use crate::by_hand::codewords::MAX_VERSION;

/// The width of version 40.
pub(crate) const MOST_MODULES: usize = 177;

/// The masks in the standard's order: it breaks a tie between penalties in favour of the first.
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

pub(crate) const MASK_COUNT: usize = 8;

/// The same row under every mask: `[word][mask]`, so that a loop over the masks runs over neighbours
/// in memory and the compiler can do several masks at once.
pub(crate) type MaskedRow<const W: usize> = [[u64; MASK_COUNT]; W];

/// A version's fixed parts, in rows of `W` words.
pub(crate) struct Layout<const W: usize> {
    /// The width and the height in modules.
    pub(crate) size: usize,
    /// Where the codewords' bits go, in their order.
    pub(crate) data_modules: Vec<DataModule>,
    /// Everything but the data, row by row.
    pub(crate) overlay: Vec<MaskedRow<W>>,
}

/// A module that carries a bit of the codewords: its row in the upper byte, its column in the lower, to be read at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DataModule(u16);

impl DataModule {
    fn at(x: usize, y: usize) -> Self {
        Self((y << 8 | x) as u16)
    }

    pub(crate) fn x(self) -> usize {
        usize::from(self.0 & 0xff)
    }

    pub(crate) fn y(self) -> usize {
        usize::from(self.0 >> 8)
    }
}

/// A layout in the narrowest rows that hold it: most symbols are small, and one word is fastest.
pub(crate) enum AnyLayout {
    /// Versions 1 to 11, up to 61 modules.
    Narrow(Layout<1>),
    /// Versions 12 to 27, up to 125 modules.
    Medium(Layout<2>),
    /// Versions 28 to 40, up to 177 modules.
    Wide(Layout<3>),
}

/// The layout of `version` (1 to 40).
pub(crate) fn of_version(version: i16) -> &'static AnyLayout {
    static LAYOUTS: [OnceLock<AnyLayout>; MAX_VERSION as usize] = [const { OnceLock::new() }; MAX_VERSION as usize];
    LAYOUTS[version as usize - 1].get_or_init(|| match version {
        ..=11 => AnyLayout::Narrow(Layout::new(version)),
        12..=27 => AnyLayout::Medium(Layout::new(version)),
        28.. => AnyLayout::Wide(Layout::new(version)),
    })
}

impl<const W: usize> Layout<W> {
    fn new(version: i16) -> Self {
        let size = Version::Normal(version).width() as usize;
        let mut canvas = Canvas::new(Version::Normal(version), EcLevel::L);
        canvas.draw_all_functional_patterns();

        let data_modules =
            zigzag(size).filter(|module| canvas.get(module.x() as i16, module.y() as i16) == Module::Empty).collect();

        let mut overlay = vec![[[0; MASK_COUNT]; W]; size];
        for (mask, pattern) in MASKS.into_iter().enumerate() {
            let mut masked = canvas.clone();
            masked.apply_mask(pattern);
            for (row, colors) in overlay.iter_mut().zip(masked.into_colors().chunks(size)) {
                let mut bits = Bits::<W>::NONE;
                for (x, &color) in colors.iter().enumerate() {
                    bits.set(x, color == Color::Dark);
                }
                for (word, bits) in row.iter_mut().zip(bits.0) {
                    word[mask] = bits;
                }
            }
        }
        Self { size, data_modules, overlay }
    }
}

/// All modules in the order of placement (ISO/IEC 18004, 7.7.3): in pairs of columns from the right,
/// up and down by turns, the right module of a pair first. Column 6 is a timing pattern and belongs
/// to no pair.
fn zigzag(size: usize) -> impl Iterator<Item = DataModule> {
    let pairs = (0..size).rev().filter(|&x| x != 6).step_by(2);
    pairs.enumerate().flat_map(move |(turn, right)| {
        (0..size).flat_map(move |step| {
            let y = if turn % 2 == 0 { size - 1 - step } else { step };
            [right, right - 1].map(|x| DataModule::at(x, y))
        })
    })
}
