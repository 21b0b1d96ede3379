//! How hard a symbol would be to read under each of the eight masks (ISO/IEC 18004:2015, 7.8.3).
//!
//! The mask with the lowest penalty is the one to use. Scoring eight whole symbols module by module
//! is what QR encoders spend most of their time on; here a row is a few machine words, a question
//! about all its modules is a few bitwise operators, and the answers are counted as set bits.

use std::iter::repeat_n;

use arrayvec::ArrayVec;

use crate::by_hand::bits::Bits;
use crate::by_hand::layout::{Layout, MASK_COUNT, MOST_MODULES, MaskedRow};

/// Rule 1: a run of five modules of one colour, and 1 more for every further module.
const LONG_RUN: u64 = 3;
/// Rule 2: every 2 x 2 block of one colour; blocks may overlap.
const BLOCK: u64 = 3;
/// Rule 3: something that looks like the cut through a finder pattern.
const FINDER_LIKE: u64 = 40;
/// Rule 4: every full 5 % that the dark modules are away from half of all.
const IMBALANCE: u64 = 10;

/// Rule 3 looks at four modules beyond either end of seven. Light rows around the symbol, as many as
/// it can reach from any row of it, stand for the quiet zone, so that there is no edge to ask about.
const LIGHT_ABOVE: usize = 4;
const LIGHT_BELOW: usize = 10;

/// One symbol under all masks.
pub(crate) struct Candidates<const W: usize> {
    /// With `LIGHT_ABOVE` and `LIGHT_BELOW` rows of quiet zone.
    rows: ArrayVec<MaskedRow<W>, { LIGHT_ABOVE + MOST_MODULES + LIGHT_BELOW }>,
}

impl<const W: usize> Candidates<W> {
    pub(crate) fn new() -> Self {
        Self { rows: ArrayVec::new() }
    }

    /// Lays the version's overlay for each mask over the placed data.
    pub(crate) fn lay(&mut self, layout: &Layout<W>, data: &[Bits<W>]) {
        self.rows.clear();
        self.rows.extend(repeat_n([[0; MASK_COUNT]; W], LIGHT_ABOVE + layout.size + LIGHT_BELOW));
        for ((row, overlay), data) in self.rows[LIGHT_ABOVE..].iter_mut().zip(&layout.overlay).zip(data) {
            for ((row, overlay), data) in row.iter_mut().zip(overlay).zip(data.0) {
                for (row, overlay) in row.iter_mut().zip(overlay) {
                    *row = overlay ^ data;
                }
            }
        }
    }

    fn size(&self) -> usize {
        self.rows.len() - LIGHT_ABOVE - LIGHT_BELOW
    }

    /// The symbol's own rows under `mask`.
    pub(crate) fn rows(&self, mask: usize) -> impl Iterator<Item = Bits<W>> {
        self.rows[LIGHT_ABOVE..][..self.size()].iter().map(move |row| under(row, mask))
    }
}

/// The penalty of each mask.
pub(crate) fn penalties<const W: usize>(candidates: &Candidates<W>) -> [u64; MASK_COUNT] {
    let size = candidates.size();
    let mut penalties = [0; MASK_COUNT];
    let mut dark = [0; MASK_COUNT];
    let mut long_runs_above = [Bits::<W>::NONE; MASK_COUNT];
    let pairs_in_row = Bits::lowest(size - 1);
    let whole_row = Bits::lowest(size);

    for (y, window) in candidates.rows.windows(LIGHT_ABOVE + 1 + LIGHT_BELOW).enumerate() {
        // Windows at the lower edge hold rows that are not part of the symbol and would look like
        // light modules: runs and blocks that reach into them do not count.
        let pairs_below = if y + 1 < size { pairs_in_row } else { Bits::NONE };
        let runs_below = if y + 4 < size { whole_row } else { Bits::NONE };
        for mask in 0..MASK_COUNT {
            let row = |offset: usize| under(&window[LIGHT_ABOVE + offset], mask);
            let above = |offset: usize| under(&window[LIGHT_ABOVE - offset], mask);
            let this = row(0);

            // Bit x is set if modules x and x + 1 are of one colour; four such in a row are a run of
            // five. A run of n sets n - 4 bits of `long_runs`, the first of which starts it.
            let pairs = !(this ^ this >> 1) & pairs_in_row;
            let two_pairs = pairs & pairs >> 1;
            let long_runs = two_pairs & two_pairs >> 2;
            penalties[mask] += long_runs.count() + (LONG_RUN - 1) * (long_runs & !(long_runs << 1)).count();

            // The same downwards: five rows that are all dark or all light at x.
            let all_dark = this & row(1) & row(2) & row(3) & row(4);
            let any_dark = this | row(1) | row(2) | row(3) | row(4);
            let long_runs = (all_dark | !any_dark) & runs_below;
            penalties[mask] += long_runs.count() + (LONG_RUN - 1) * (long_runs & !long_runs_above[mask]).count();
            long_runs_above[mask] = long_runs;

            let below = row(1);
            let blocks = pairs & !(below ^ below >> 1) & !(this ^ below) & pairs_below;
            penalties[mask] += BLOCK * blocks.count();

            // Dark and light by turns, 1:1:3:1:1 modules, with four light ones on either side.
            let finder = this & !(this >> 1) & this >> 2 & this >> 3 & this >> 4 & !(this >> 5) & this >> 6;
            let dark_after = this >> 7 | this >> 8 | this >> 9 | this >> 10;
            let dark_before = this << 1 | this << 2 | this << 3 | this << 4;
            penalties[mask] += FINDER_LIKE * (finder & !(dark_after & dark_before)).count();

            let finder = this & !row(1) & row(2) & row(3) & row(4) & !row(5) & row(6);
            let dark_after = row(7) | row(8) | row(9) | row(10);
            let dark_before = above(1) | above(2) | above(3) | above(4);
            penalties[mask] += FINDER_LIKE * (finder & !(dark_after & dark_before)).count();

            dark[mask] += this.count();
        }
    }

    let modules = (size * size) as u64;
    for (penalty, dark) in penalties.iter_mut().zip(dark) {
        // |dark / modules - 1/2| in steps of 1/20, in whole numbers.
        *penalty += IMBALANCE * ((20 * dark).abs_diff(10 * modules) / modules);
    }
    penalties
}

#[inline(always)]
fn under<const W: usize>(row: &MaskedRow<W>, mask: usize) -> Bits<W> {
    Bits(std::array::from_fn(|word| row[word][mask]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::layout::{self, AnyLayout};
    use proptest::prelude::*;

    /// The rules read out module by module, as the standard words them.
    fn penalty_by_the_book(size: usize, is_dark: impl Fn(usize, usize) -> bool) -> u64 {
        let mut penalty = 0;
        let by_row = |line: usize, place: usize| is_dark(place, line);
        let by_column = |line: usize, place: usize| is_dark(line, place);
        for at in [&by_row as &dyn Fn(usize, usize) -> bool, &by_column] {
            for line in 0..size {
                let modules: Vec<bool> = (0..size).map(|place| at(line, place)).collect();
                for run in modules.chunk_by(|a, b| a == b).filter(|run| run.len() >= 5) {
                    penalty += 3 + (run.len() as u64 - 5);
                }
                for start in 0..=size - 7 {
                    let light = |from: usize, to: usize| !modules[from..to.min(size)].contains(&true);
                    let finder = [true, false, true, true, true, false, true];
                    let is_alone = light(start.saturating_sub(4), start) || light(start + 7, start + 11);
                    penalty += if modules[start..start + 7] == finder && is_alone { 40 } else { 0 };
                }
            }
        }
        for (x, y) in (1..size).flat_map(|x| (1..size).map(move |y| (x, y))) {
            let block = [is_dark(x, y), is_dark(x - 1, y), is_dark(x, y - 1), is_dark(x - 1, y - 1)];
            penalty += if block.iter().all(|&dark| dark == block[0]) { 3 } else { 0 };
        }
        let dark = (0..size * size).filter(|&place| is_dark(place % size, place / size)).count();
        let percent_off = (100.0 * dark as f64 / (size * size) as f64 - 50.0).abs();
        penalty + 10 * (percent_off / 5.0) as u64
    }

    fn check<const W: usize>(layout: &Layout<W>, data: &[Bits<W>]) {
        let mut candidates = Candidates::new();
        candidates.lay(layout, data);
        for (mask, penalty) in penalties(&candidates).into_iter().enumerate() {
            let rows: Vec<Bits<W>> = candidates.rows(mask).collect();
            let is_dark = |x: usize, y: usize| rows[y].0[x / 64] >> (x % 64) & 1 == 1;
            assert_eq!(penalty, penalty_by_the_book(layout.size, is_dark), "mask {mask}");
        }
    }

    /// Rows of noise, more or less dark, as wide as the symbol: runs and finders at its edges too.
    fn check_noise(version: i16, seed: u64, darkness: u32) {
        fn noise<const W: usize>(size: usize, seed: u64, darkness: u32) -> Vec<Bits<W>> {
            let mut state = seed | 1;
            let mut next = move || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state
            };
            let mut row = || {
                let words = std::array::from_fn(|_| (0..darkness).fold(!0, |bits, _| bits & next()));
                Bits(words) & Bits::lowest(size)
            };
            (0..size).map(|_| row()).collect()
        }
        match layout::of_version(version) {
            AnyLayout::Narrow(layout) => check(layout, &noise(layout.size, seed, darkness)),
            AnyLayout::Medium(layout) => check(layout, &noise(layout.size, seed, darkness)),
            AnyLayout::Wide(layout) => check(layout, &noise(layout.size, seed, darkness)),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn rows_score_as_their_modules_do(version in 1i16..=40, seed: u64, darkness in 1u32..5) {
            check_noise(version, seed, darkness);
        }
    }
}
