//! Reads the part of protocol buffers' wire format that pprof needs (protobuf.dev/programming-guides/encoding). In:
//! bytes. Out: fields with their numbers, or the byte at which they are wrong.

/// A field's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    /// A number; signed ones as two's complement.
    Number(u64),
    /// Text, a message, or numbers packed together.
    Bytes(Span<'a>),
}

/// A part of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span<'a> {
    bytes: &'a [u8],
    /// Where it begins in the file.
    start: usize,
}

/// The byte of the file that is invalid, and why.
#[derive(Debug, PartialEq)]
pub(super) struct Broken {
    pub(super) at: usize,
    pub(super) why: &'static str,
}

impl<'a> Span<'a> {
    /// The whole file.
    pub(super) fn whole(bytes: &'a [u8]) -> Span<'a> {
        Span { bytes, start: 0 }
    }

    pub(super) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Where it begins in the file.
    pub(super) fn start(self) -> usize {
        self.start
    }

    /// The fields of a message, with their numbers.
    pub(super) fn fields(self) -> impl Iterator<Item = Result<(u64, Value<'a>), Broken>> {
        self.each(Reader::field)
    }

    /// The numbers that are packed together in these bytes.
    fn numbers(self) -> impl Iterator<Item = Result<u64, Broken>> {
        self.each(Reader::number)
    }

    /// Reads items one after the other, up to the end or the first broken one.
    fn each<T>(self, read: impl Fn(&mut Reader<'a>) -> Result<T, Broken>) -> impl Iterator<Item = Result<T, Broken>> {
        let mut reader = Reader { rest: self };
        std::iter::from_fn(move || {
            if reader.rest.bytes.is_empty() {
                return None;
            }
            let found = read(&mut reader);
            if found.is_err() {
                reader.rest.bytes = &[];
            }
            Some(found)
        })
    }
}

impl<'a> Value<'a> {
    /// The number; 0 if the value is not a number.
    pub(super) fn number(self) -> u64 {
        match self {
            Value::Number(number) => number,
            Value::Bytes(_) => 0,
        }
    }

    /// The message or text; empty if the value is a number.
    pub(super) fn span(self) -> Span<'a> {
        match self {
            Value::Number(_) => Span { bytes: &[], start: 0 },
            Value::Bytes(span) => span,
        }
    }

    /// Adds the numbers of a repeated field, which a writer may pack or not, until there are `most`.
    pub(super) fn add_to(self, numbers: &mut Vec<u64>, most: usize) -> Result<(), Broken> {
        let mut add = |number: u64| {
            if numbers.len() < most {
                numbers.push(number);
            }
        };
        match self {
            Value::Number(number) => add(number),
            Value::Bytes(span) => {
                for number in span.numbers() {
                    add(number?);
                }
            }
        }
        Ok(())
    }
}

struct Reader<'a> {
    rest: Span<'a>,
}

impl<'a> Reader<'a> {
    fn broken<T>(&self, why: &'static str) -> Result<T, Broken> {
        Err(Broken { at: self.rest.start, why })
    }

    fn take(&mut self, length: usize) -> Result<Span<'a>, Broken> {
        let Some((taken, rest)) = self.rest.bytes.split_at_checked(length) else {
            return self.broken("a field is longer than the rest of the file");
        };
        let taken = Span { bytes: taken, start: self.rest.start };
        self.rest = Span { bytes: rest, start: self.rest.start + length };
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, Broken> {
        let mut number = 0_u64;
        for (index, byte) in self.rest.bytes.iter().enumerate().take(10) {
            number |= u64::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 {
                self.take(index + 1)?;
                return Ok(number);
            }
        }
        self.broken("a number does not end")
    }

    fn field(&mut self) -> Result<(u64, Value<'a>), Broken> {
        let before = self.rest.start;
        let key = self.number()?;
        let value = match key & 7 {
            0 => Value::Number(self.number()?),
            1 => Value::Number(fixed(self.take(8)?.bytes)),
            2 => {
                let length = self.number()?;
                Value::Bytes(self.take(usize::try_from(length).unwrap_or(usize::MAX))?)
            }
            5 => Value::Number(fixed(self.take(4)?.bytes)),
            _ => return Err(Broken { at: before, why: "a field has a type that pprof does not use" }),
        };
        Ok((key >> 3, value))
    }
}

fn fixed(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(bytes: &[u8]) -> Result<Vec<(u64, Value<'_>)>, Broken> {
        Span::whole(bytes).fields().collect()
    }

    #[test]
    fn fields_are_read_and_broken_ones_are_located() {
        // The examples are from the format's documentation.
        assert_eq!(fields(&[0x08, 0x96, 0x01]), Ok(vec![(1, Value::Number(150))]));
        assert_eq!(fields(&[0x12, 0x01, b'x', 0x0d, 1, 0, 0, 0]).unwrap().len(), 2);
        let mut numbers = Vec::new();
        fields(&[0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]).unwrap()[0].1.add_to(&mut numbers, 3).unwrap();
        assert_eq!(numbers, [3, 270, 86942]);
        let broken = |bytes: &[u8]| fields(bytes).unwrap_err();
        assert_eq!(broken(&[0x08, 0x01, 0x12, 0x05, 1]).at, 4);
        assert_eq!(broken(&[0x08, 0x01, 0x0b]).at, 2);
        assert_eq!(broken(&[0x08, 0xff]), Broken { at: 1, why: "a number does not end" });
        assert_eq!(
            broken(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]).why,
            "a field is longer than the rest of the file"
        );
    }
}
