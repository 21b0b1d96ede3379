//! The byte encoding: Borsh's layout (<https://borsh.io>), except that a float is its raw IEEE-754 bits, NaN included.
//!
//! Numbers are little-endian. Text, bytes, lists and maps start with a 32-bit count. A map is sorted by the bytes of
//! its keys, which are all different.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{BuildHasher, Hash};

/// Why bytes are not the value that was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Malformed {
    /// They end too early.
    Short,
    /// Something follows the last value.
    Trailing(usize),
    /// A byte is not one of the few that are valid here.
    Tag { what: &'static str, byte: u8 },
    /// Text is not UTF-8.
    Text,
    /// A map's keys are not sorted, or one is there twice.
    Keys,
    /// A 64-bit size does not fit this machine's.
    Size,
    /// There is no function with this number.
    Function(u32),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Short => f.write_str("the arguments end too early"),
            Malformed::Trailing(count) => write!(f, "{count} bytes follow the arguments"),
            Malformed::Tag { what, byte } => write!(f, "{byte} is not a valid {what}"),
            Malformed::Text => f.write_str("text is not valid UTF-8"),
            Malformed::Keys => f.write_str("a map's keys are not sorted, or one is there twice"),
            Malformed::Size => f.write_str("a size does not fit this machine"),
            Malformed::Function(number) => write!(f, "there is no function number {number}"),
        }
    }
}

/// Bytes that are being read from the front.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    /// Reads one value; its type follows from where it is used.
    pub fn read<T: Read<'a>>(&mut self) -> Result<T, Malformed> {
        T::read(self)
    }

    /// Fails if bytes are left.
    pub fn finish(self) -> Result<(), Malformed> {
        if self.rest.is_empty() { Ok(()) } else { Err(Malformed::Trailing(self.rest.len())) }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(*taken)
    }

    fn count(&mut self) -> Result<usize, Malformed> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }

    /// The number of an enum's case.
    pub fn case(&mut self) -> Result<u8, Malformed> {
        let [byte] = self.array()?;
        Ok(byte)
    }
}

/// A type that can be read off bytes that live for `'a`.
pub trait Read<'a>: Sized {
    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed>;

    /// Reads `count` values. Bytes override this: they are copied at once.
    fn read_list(from: &mut Reader<'a>, count: usize) -> Result<Vec<Self>, Malformed> {
        // Reserves no more items than there are bytes: a hostile count must not allocate.
        let mut list = Vec::with_capacity(count.min(from.rest.len()));
        for _ in 0..count {
            list.push(Self::read(from)?);
        }
        Ok(list)
    }
}

/// A type that can be written.
pub trait Write {
    fn write(&self, to: &mut Vec<u8>);

    /// Writes values one after the other. Bytes override this.
    fn write_list(list: &[Self], to: &mut Vec<u8>)
    where
        Self: Sized,
    {
        list.iter().for_each(|item| item.write(to));
    }
}

/// Writes how many of something follow.
///
/// # Panics
/// Above 2^32 - 1, which the encoding cannot say; the caller's guard turns that into an answer.
fn write_count(count: usize, to: &mut Vec<u8>) {
    let count = u32::try_from(count).expect("a value is larger than 4 GiB and cannot cross");
    to.extend_from_slice(&count.to_le_bytes());
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Read<'_> for $number {
            fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
                Ok(<$number>::from_le_bytes(from.array()?))
            }
        }

        impl Write for $number {
            fn write(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

numbers!(i8 i16 i32 i64 u16 u32 u64 f32 f64);

impl<'a> Read<'a> for u8 {
    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        from.case()
    }

    fn read_list(from: &mut Reader<'a>, count: usize) -> Result<Vec<Self>, Malformed> {
        from.take(count).map(<[u8]>::to_vec)
    }
}

impl Write for u8 {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(*self);
    }

    fn write_list(list: &[Self], to: &mut Vec<u8>) {
        to.extend_from_slice(list);
    }
}

impl Read<'_> for usize {
    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        usize::try_from(u64::read(from)?).map_err(|_| Malformed::Size)
    }
}

impl Write for usize {
    fn write(&self, to: &mut Vec<u8>) {
        (*self as u64).write(to);
    }
}

impl Read<'_> for isize {
    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        isize::try_from(i64::read(from)?).map_err(|_| Malformed::Size)
    }
}

impl Write for isize {
    fn write(&self, to: &mut Vec<u8>) {
        (*self as i64).write(to);
    }
}

impl Read<'_> for bool {
    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        match from.case()? {
            0 => Ok(false),
            1 => Ok(true),
            byte => Err(Malformed::Tag { what: "bool", byte }),
        }
    }
}

impl Write for bool {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }
}

impl<'a> Read<'a> for &'a [u8] {
    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        let count = from.count()?;
        from.take(count)
    }
}

impl<'a> Read<'a> for &'a str {
    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        std::str::from_utf8(from.read()?).map_err(|_| Malformed::Text)
    }
}

impl Read<'_> for String {
    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        <&str>::read(from).map(str::to_owned)
    }
}

impl Write for str {
    fn write(&self, to: &mut Vec<u8>) {
        write_count(self.len(), to);
        to.extend_from_slice(self.as_bytes());
    }
}

impl Write for String {
    fn write(&self, to: &mut Vec<u8>) {
        self.as_str().write(to);
    }
}

impl<T: Write + ?Sized> Write for &T {
    fn write(&self, to: &mut Vec<u8>) {
        (**self).write(to);
    }
}

impl<'a, T: Read<'a>> Read<'a> for Option<T> {
    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        match from.case()? {
            0 => Ok(None),
            1 => from.read().map(Some),
            byte => Err(Malformed::Tag { what: "option", byte }),
        }
    }
}

impl<T: Write> Write for Option<T> {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(u8::from(self.is_some()));
        if let Some(value) = self {
            value.write(to);
        }
    }
}

impl<'a, T: Read<'a>> Read<'a> for Vec<T> {
    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        let count = from.count()?;
        T::read_list(from, count)
    }
}

impl<T: Write> Write for [T] {
    fn write(&self, to: &mut Vec<u8>) {
        write_count(self.len(), to);
        T::write_list(self, to);
    }
}

impl<T: Write> Write for Vec<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.as_slice().write(to);
    }
}

/// Reads a map's entries into anything that collects them; keys must ascend.
fn read_entries<'a, T: Read<'a>, M: Extend<(String, T)> + Default>(from: &mut Reader<'a>) -> Result<M, Malformed> {
    let mut map = M::default();
    let mut last: Option<&'a str> = None;
    for _ in 0..from.count()? {
        let key: &str = from.read()?;
        if last.is_some_and(|last| last >= key) {
            return Err(Malformed::Keys);
        }
        last = Some(key);
        map.extend([(key.to_owned(), from.read()?)]);
    }
    Ok(map)
}

impl<'a, T: Read<'a>> Read<'a> for BTreeMap<String, T> {
    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        read_entries(from)
    }
}

impl<'a, T: Read<'a>, S: BuildHasher + Default> Read<'a> for HashMap<String, T, S>
where
    String: Hash,
{
    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        read_entries(from)
    }
}

impl<T: Write> Write for BTreeMap<String, T> {
    fn write(&self, to: &mut Vec<u8>) {
        write_count(self.len(), to);
        for (key, value) in self {
            key.write(to);
            value.write(to);
        }
    }
}

impl<T: Write, S: BuildHasher> Write for HashMap<String, T, S> {
    fn write(&self, to: &mut Vec<u8>) {
        let mut entries: Vec<_> = self.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        write_count(entries.len(), to);
        for (key, value) in entries {
            key.write(to);
            value.write(to);
        }
    }
}

impl Write for () {
    fn write(&self, _: &mut Vec<u8>) {}
}
