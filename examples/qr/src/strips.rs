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

/// What the picture is put together from: a byte, or some bytes once more.
#[derive(Clone, Copy)]
pub(crate) enum Token {
    Literal(u8),
    /// Repeats what lies that far back; `length` is `SHORTEST_COPY` to `LONGEST_COPY`.
    Copy {
        length: u16,
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

/// Takes the picture apart. Its first row must be white, and every row must begin with a filter type
/// and a byte of margin and end with one.
pub(crate) fn tokens(strips: &[Strip]) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(1024);
    let Some((first, others)) = strips.split_first() else { return tokens };
    tokens.extend([Token::Literal(first.row[0]), Token::Literal(first.row[1])]);
    tokens.push(Token::Copy { length: ROW_BYTES as u16 - 2, from: Distance::OneByte });

    let mut above = &first.row;
    // How many bytes since the last literal are equal to the ones above them.
    let mut equal = (first.repeat - 1) * ROW_BYTES;
    for strip in others {
        for (column, (&byte, &byte_above)) in strip.row.iter().zip(above).enumerate() {
            if byte == byte_above {
                equal += 1;
                continue;
            }
            push_equal(equal, &strip.row[..column], &mut tokens);
            tokens.push(Token::Literal(byte));
            equal = 0;
        }
        equal += (strip.repeat - 1) * ROW_BYTES;
        above = &strip.row;
    }
    push_equal(equal, above, &mut tokens);
    tokens
}

/// Adds the `equal` bytes that end where `row`, the current row so far, ends.
fn push_equal(mut equal: usize, row: &[u8], tokens: &mut Vec<Token>) {
    // Bytes from before this row are never too few for a copy: they come with the margins.
    if equal < WORTH_A_COPY && equal <= row.len() {
        tokens.extend(row[row.len() - equal..].iter().map(|&byte| Token::Literal(byte)));
        return;
    }
    while equal > 0 {
        let length = match equal {
            ..=LONGEST_COPY => equal,
            // What is left must be enough for another copy.
            _ if equal - LONGEST_COPY < SHORTEST_COPY => LONGEST_COPY - SHORTEST_COPY,
            _ => LONGEST_COPY,
        };
        tokens.push(Token::Copy { length: length as u16, from: Distance::OneRow });
        equal -= length;
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
