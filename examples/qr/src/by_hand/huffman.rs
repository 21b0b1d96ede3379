//! Huffman codes as deflate writes them (RFC 1951, 3.2.2): how often each symbol occurs goes in, how
//! many bits each gets and which bits these are comes out.

use arrayvec::ArrayVec;

/// Prefix codes over the symbols `0..N`: one for all of them, or several for as many parts of them.
pub(crate) struct Code<const N: usize> {
    pub(crate) words: [Codeword; N],
}

/// What stands for a symbol: up to 15 bits, the first to be written lowest, and how many they are in the half above them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Codeword(u32);

impl Codeword {
    /// Of a symbol that does not occur.
    const NONE: Self = Self(0);

    fn new(bits: u16, length: u8) -> Self {
        Self(u32::from(bits) | u32::from(length) << 16)
    }

    pub(crate) fn bits(self) -> u64 {
        u64::from(self.0 as u16)
    }

    pub(crate) fn length(self) -> u32 {
        self.0 >> 16
    }
}

impl<const N: usize> Code<N> {
    /// Without any symbol.
    pub(crate) fn new() -> Self {
        Self { words: [Codeword::NONE; N] }
    }

    /// Gives `symbols`, which all occur and had no code yet, the shortest for occurring this often, none longer than `limit`
    /// bits. At most half as many symbols may occur as there are numbers of `limit` bits.
    pub(crate) fn fit(&mut self, frequencies: &[u32; N], symbols: &[u16], limit: u8) {
        let leaf = |&symbol: &u16| Leaf::new(frequencies[usize::from(symbol)], symbol);
        let mut leaves = ArrayVec::<Leaf, N>::new();
        leaves.extend(symbols.iter().map(leaf));
        debug_assert!(2 * leaves.len() <= 1 << limit);
        leaves.sort_unstable();
        while !assign_lengths(&leaves, limit, &mut self.words) {
            // Flatter frequencies make a flatter tree. It is no longer the best code within the
            // limit, but only frequencies far more skewed than a QR code's ever get here.
            for leaf in &mut leaves {
                *leaf = Leaf::new(leaf.frequency() / 2 + 1, leaf.symbol());
            }
        }
        assign_bits(symbols, &mut self.words);
    }
}

/// The symbols that occur, in their order.
pub(crate) fn push_occurring<const N: usize>(frequencies: &[u32; N], symbols: &mut ArrayVec<u16, N>) {
    symbols.extend((0..N as u16).filter(|&symbol| frequencies[usize::from(symbol)] > 0));
}

/// How often a symbol occurs, and behind that the symbol: one number, which is sorted without a branch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Leaf(u64);

impl Leaf {
    fn new(frequency: u32, symbol: u16) -> Self {
        Self(u64::from(frequency) << 16 | u64::from(symbol))
    }

    fn frequency(self) -> u32 {
        (self.0 >> 16) as u32
    }

    fn symbol(self) -> u16 {
        self.0 as u16
    }
}

/// Notes how deep each of `leaves` (sorted, the rarest first) lies in the Huffman tree over them. `false` if one lies deeper
/// than `limit`.
fn assign_lengths<const N: usize>(leaves: &[Leaf], limit: u8, words: &mut [Codeword; N]) -> bool {
    if let [only] = leaves {
        // A code of one symbol still has to be written somehow: deflate gives it one bit.
        words[usize::from(only.symbol())] = Codeword::new(0, 1);
        return true;
    }
    let mut nodes = ArrayVec::<u32, N>::new();
    nodes.extend(leaves.iter().map(|leaf| leaf.frequency()));
    let mut inner = inner_depths(&mut nodes).iter().rev().peekable();
    // Each depth has twice as many places as the one above it has inner nodes. What is no inner node is a leaf, and the
    // most frequent ones lie highest.
    let mut leaves = leaves.iter().rev();
    let mut places = leaves.len().min(1);
    let mut depth = 0;
    while places > 0 {
        let mut inner_nodes = 0;
        while inner.next_if(|&&inner| inner == u32::from(depth)).is_some() {
            inner_nodes += 1;
        }
        for leaf in leaves.by_ref().take(places - inner_nodes) {
            words[usize::from(leaf.symbol())] = Codeword::new(0, depth);
        }
        places = 2 * inner_nodes;
        depth += 1;
    }
    depth <= limit + 1
}

/// The leaves' weights, the lightest first, to the depths of the inner nodes, the deepest first, in the same memory.
///
/// A. Moffat and J. Katajainen, In-place calculation of minimum-redundancy codes, 1995: inner nodes are made in the order of
/// their weight, and each takes the place of a leaf that has its parent by then.
fn inner_depths(nodes: &mut [u32]) -> &[u32] {
    let count = nodes.len().saturating_sub(1);
    let (mut next_leaf, mut next_inner) = (0, 0);
    for node in 0..count {
        let mut weight = 0;
        for _ in 0..2 {
            let leaf = nodes.get(next_leaf).copied().unwrap_or(u32::MAX);
            let inner = if next_inner < node { nodes[next_inner] } else { u32::MAX };
            let is_inner = inner < leaf;
            weight += inner.min(leaf);
            // An inner node that has its parent need not know its weight any more.
            if is_inner {
                nodes[next_inner] = node as u32;
            }
            next_inner += usize::from(is_inner);
            next_leaf += usize::from(!is_inner);
        }
        nodes[node] = weight;
    }
    // From the root, which was made last, down.
    let inner = &mut nodes[..count];
    if let Some(root) = inner.last_mut() {
        *root = 0;
    }
    for node in (0..count.saturating_sub(1)).rev() {
        inner[node] = inner[inner[node] as usize] + 1;
    }
    inner
}

/// The canonical code of these lengths: shorter codes first, equally long ones in their symbols' order.
fn assign_bits<const N: usize>(symbols: &[u16], words: &mut [Codeword; N]) {
    let mut counts = [0u16; 16];
    for &symbol in symbols {
        counts[words[usize::from(symbol)].length() as usize] += 1;
    }
    let mut next = [0u16; 16];
    for length in 1..16 {
        next[length] = (next[length - 1] + counts[length - 1]) << 1;
    }
    for &symbol in symbols {
        let word = &mut words[usize::from(symbol)];
        let length = word.length() as u8;
        let code = &mut next[usize::from(length)];
        // Deflate fills its bytes from the lowest bit, but writes codes from their highest.
        *word = Codeword::new(code.reverse_bits() >> (16 - length), length);
        *code += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fitted<const N: usize>(frequencies: &[u32; N], limit: u8) -> Code<N> {
        let mut code = Code::new();
        let mut symbols = ArrayVec::new();
        push_occurring(frequencies, &mut symbols);
        code.fit(frequencies, &symbols, limit);
        code
    }

    #[test]
    fn frequent_symbols_are_short() {
        let code = fitted(&[5, 0, 1, 1, 9], 15);
        assert_eq!(code.words.map(|word| word.length()), [2, 0, 3, 3, 1]);
        // Canonical: 10, -, 110, 111, 0; each read backwards.
        assert_eq!(code.words.map(|word| word.bits()), [0b01, 0, 0b011, 0b111, 0b0]);
    }

    #[test]
    fn a_single_symbol_has_one_bit() {
        assert_eq!(fitted(&[0, 7, 0], 15).words.map(|word| word.length()), [0, 1, 0]);
    }

    proptest! {
        /// Kraft's sum of 1: no two codes clash, and none could be shorter.
        #[test]
        fn codes_are_complete_within_the_limit(frequencies: [u16; 30], skew in 0u32..16, limit in 6u8..=15) {
            let mut frequencies = frequencies.map(|frequency| u32::from(frequency) >> skew);
            frequencies[..2].copy_from_slice(&[1, 1]);
            let code = fitted(&frequencies, limit);
            let lengths = code.words.iter().map(|word| word.length()).filter(|&length| length > 0);
            prop_assert!(lengths.clone().all(|length| length <= u32::from(limit)));
            prop_assert_eq!(lengths.map(|length| 1 << (15 - length)).sum::<u32>(), 1 << 15);
        }

        #[test]
        fn fibonacci_frequencies_keep_to_the_limit(limit in 6u8..=15) {
            let mut frequencies = [1u32; 30];
            for place in 2..30 {
                frequencies[place] = frequencies[place - 1] + frequencies[place - 2];
            }
            let code = fitted(&frequencies, limit);
            prop_assert!(code.words.iter().all(|word| word.length() <= u32::from(limit)));
        }
    }
}
