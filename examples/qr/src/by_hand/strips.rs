//! The picture as rows that repeat, and where its bytes are equal to earlier ones.
//!
//! A row of modules is several equal rows of pixels; what differs between two of them is hardly more
//! than chance. So a byte is either equal to the one above it or stands for itself, and no other
//! repetition is looked for. A row of modules then costs its differing bytes and one copy, which
//! takes in the right margin, the repeated rows and the next row's left margin.

/// Bytes per row: a filter type and 200 pixels of a bit each.
pub(crate) const ROW_BYTES: usize = 26;

/// A row of the picture, and how often it is drawn: once at least.
pub(crate) struct Strip {
    pub(crate) row: [u8; ROW_BYTES],
    pub(crate) repeat: usize,
}

/// What the picture is put together from: new bytes, or some bytes once more.
#[derive(Clone, Copy)]
pub(crate) enum Token<'a> {
    Literals(&'a [u8]),
    /// Repeats what lies that far back; `length` is `SHORTEST_COPY` to `LONGEST_COPY`.
    Copy {
        length: usize,
        from: Distance,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Distance {
    OneByte,
    OneRow,
}

/// Deflate's limits.
pub(crate) const SHORTEST_COPY: usize = 3;
pub(crate) const LONGEST_COPY: usize = 258;

/// A copy takes some 13 bits, and its length a place in the code; five literals take fewer.
const WORTH_A_COPY: usize = 6;

/// Takes the picture apart and hands over each token. The first and the last strip must be white and drawn twice at
/// least, and every row must begin with a filter type and a byte of margin and end with one.
pub(crate) fn tokens<'a>(strips: &'a [Strip], mut token: impl FnMut(Token<'a>)) {
    let Some((first, others)) = strips.split_first() else { return };
    token(Token::Literals(&first.row[..2]));
    token(Token::Copy { length: ROW_BYTES - 2, from: Distance::OneByte });

    let mut above = &first.row;
    // How many bytes since the last literal are equal to the ones above them. Before a row's first literal they are
    // always enough for a copy, because of the margins.
    let mut equal = (first.repeat - 1) * ROW_BYTES;
    for strip in others {
        let differing = differing_columns(&strip.row, above);
        // Where as many equal bytes begin as are worth a copy.
        let worth = (1..WORTH_A_COPY).fold(!differing, |worth, column| worth & !(differing >> column));
        let behind_last = u32::BITS - differing.leading_zeros();
        let mut column = 0;
        while column < behind_last {
            let start = column + (differing >> column).trailing_zeros();
            copies(equal + (start - column) as usize, &mut token);
            let end = behind_last.min(start + (worth >> start).trailing_zeros());
            token(Token::Literals(&strip.row[start as usize..end as usize]));
            (equal, column) = (0, end);
        }
        equal += strip.repeat * ROW_BYTES - column as usize;
        above = &strip.row;
    }
    copies(equal, &mut token);
}

/// A bit for each column, the lowest for the first: set where two rows differ.
fn differing_columns(row: &[u8; ROW_BYTES], above: &[u8; ROW_BYTES]) -> u32 {
    let (words, rest) = row.as_chunks::<8>();
    let (words_above, rest_above) = above.as_chunks::<8>();
    let mut columns = 0;
    for (place, (word, word_above)) in words.iter().zip(words_above).enumerate() {
        let differences = u64::from_le_bytes(*word) ^ u64::from_le_bytes(*word_above);
        columns |= nonzero_bytes(differences) << (8 * place);
    }
    for (place, (byte, byte_above)) in rest.iter().zip(rest_above).enumerate() {
        columns |= u32::from(byte != byte_above) << (8 * words.len() + place);
    }
    columns
}

/// A bit for each byte, the lowest for the lowest: set where the byte is not zero.
fn nonzero_bytes(word: u64) -> u32 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // A carry out of the lower seven bits, or the highest bit itself.
    let highest_bits = (((word & LOW) + LOW) | word) & !LOW;
    // The product's highest byte takes one bit out of each byte: bit 8i + 7 ends up at 56 + i, and no two meet.
    ((highest_bits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
}

/// Hands over copies of `count` bytes from the row above: `SHORTEST_COPY` at least.
fn copies<'a>(mut count: usize, token: &mut impl FnMut(Token<'a>)) {
    while count > 0 {
        let length = match count {
            ..=LONGEST_COPY => count,
            // What is left must be enough for another copy.
            _ if count - LONGEST_COPY < SHORTEST_COPY => LONGEST_COPY - SHORTEST_COPY,
            _ => LONGEST_COPY,
        };
        token(Token::Copy { length, from: Distance::OneRow });
        count -= length;
    }
}

/// The checksum (RFC 1950, 9) of the picture as it is drawn: the sum of its bytes, and the sum of
/// what that sum was after each of them. A row adds the same to the first wherever it stands, so what
/// its repetitions add to the second is an arithmetic series.
pub(crate) fn adler32(strips: &[Strip]) -> u32 {
    const MODULUS: u64 = 65521;
    const LENGTH: u64 = ROW_BYTES as u64;
    let (mut sum, mut sum_of_sums) = (1, 0);
    for strip in strips {
        let (mut row_sum, mut row_sum_of_sums) = (0, 0);
        for &byte in &strip.row {
            row_sum += u64::from(byte);
            row_sum_of_sums += row_sum;
        }
        let repeat = strip.repeat as u64;
        let sums_before_rows = repeat * sum + row_sum * (repeat * (repeat - 1) / 2);
        sum_of_sums = (sum_of_sums + LENGTH * sums_before_rows + repeat * row_sum_of_sums) % MODULUS;
        sum = (sum + repeat * row_sum) % MODULUS;
    }
    (sum_of_sums << 16 | sum) as u32
}
