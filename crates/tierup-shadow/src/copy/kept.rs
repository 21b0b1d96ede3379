//! A message's bytes, kept while it passes, as long as there is memory for them.

use bytes::Bytes;
use hyper::HeaderMap;

use super::NotCopied;
use crate::shares::Held;

/// The memory of a header beside its name and value: its places in two maps, one for each compared answer, and three
/// allocations.
const OF_HEADER: usize = 200;

/// The bytes of a body that has passed.
#[derive(Debug)]
pub(super) struct Kept {
    bytes: Vec<u8>,
    limit: usize,
    pub(super) ended: bool,
}

impl Kept {
    pub(super) fn new(limit: usize) -> Kept {
        Kept { bytes: Vec::new(), limit, ended: false }
    }

    /// Fails if the body is too large, or memory is short.
    pub(super) fn add(&mut self, data: &[u8], memory: &Held) -> Result<(), NotCopied> {
        let (length, capacity) = (self.bytes.len() + data.len(), self.bytes.capacity());
        if length > self.limit {
            return Err(NotCopied::TooLarge);
        }
        if length > capacity {
            let new = length.max(2 * capacity).min(self.limit);
            if !memory.grow(new - capacity) {
                return Err(NotCopied::NoMemory);
            }
            self.bytes.reserve_exact(new - self.bytes.len());
        }
        self.bytes.extend_from_slice(data);
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.bytes = Vec::new();
    }

    pub(super) fn take(&mut self) -> Bytes {
        std::mem::take(&mut self.bytes).into()
    }
}

/// The memory of headers, as they are kept and as they are compared.
pub(crate) fn of_headers(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| OF_HEADER + 2 * (name.as_str().len() + value.len())).sum()
}
