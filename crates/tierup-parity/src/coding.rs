//! Removes content codings (RFC 9110, section 8.4), so that compressed answers are compared by their content.
//!
//! In: answers as they were sent. Out: the same answers with decoded bodies, or with the reason why a body cannot be
//! decoded.

use std::{
    borrow::Cow,
    io::{self, Read},
};

use brotli_decompressor::{BrotliDecoderParameter::BROTLI_DECODER_PARAM_LARGE_WINDOW, Decompressor};
use flate2::{Decompress, FlushDecompress, Status, read::MultiGzDecoder};

use crate::difference::{Difference, Differences, Place};
use crate::observation::{Answer, Coding, Observation, Seen};

/// The largest size of a decoded body, in bytes. A few compressed bytes can decode to any number.
const LIMIT: usize = 16 << 20;
/// The largest size of a decoded body of live traffic, which anybody may have sent.
const LIMIT_OF_TRAFFIC: usize = 2 << 20;
/// The bytes that decoding one of these takes meanwhile: the output of the step before, and a growing output.
const OF_DECODING: usize = 4 * LIMIT_OF_TRAFFIC;
/// The bytes for brotli's window, whose size the sender chooses, and for its tables.
const OF_BROTLI: usize = 28 << 20;
/// The most codings of one body that are decoded.
const MOST: usize = 4;
/// The longest name of a coding that a message shows.
const LONGEST_NAME: usize = 20;

/// Decodes two answers to the same request, unless they are equal as sent. Either may already be decoded.
pub fn decode(one: &mut Observation, other: &mut Observation) {
    if are_same_as_sent(one, other) {
        return;
    }
    for observation in [one, other] {
        if let Seen::Answer(answer) = &mut observation.seen {
            answer.decode(LIMIT_OF_TRAFFIC);
        }
    }
}

/// An upper bound, in bytes, on the memory that [`decode`] takes for these two while it runs, the decoded bodies not
/// included.
pub fn decoding(one: &Observation, other: &Observation) -> usize {
    if are_same_as_sent(one, other) {
        return 0;
    }
    let codings = |observation: &Observation| match &observation.seen {
        Seen::Answer(answer) if answer.coding == Coding::AsSent && !answer.body.is_empty() => names(values(answer)),
        _ => Vec::new(),
    };
    let all = [one, other].map(codings);
    let window = if all.iter().flatten().any(|coding| coding == "br") { OF_BROTLI } else { 0 };
    let coded = all.iter().filter(|codings| !codings.is_empty()).count();
    if coded == 0 { 0 } else { coded * LIMIT_OF_TRAFFIC + OF_DECODING + window }
}

/// Whether two servers sent the same bytes, in the same coding.
pub(crate) fn are_same_as_sent(one: &Observation, other: &Observation) -> bool {
    match (&one.seen, &other.seen) {
        (Seen::Answer(one), Seen::Answer(other)) => {
            one.body == other.body && one.coding == other.coding && values(one).eq(values(other))
        }
        _ => false,
    }
}

impl Answer {
    /// The answer with its body decoded, unless it is decoded already.
    #[must_use]
    pub fn decoded(mut self) -> Answer {
        self.decode(LIMIT);
        self
    }

    /// The decoded body. `None` if it cannot be decoded, or is larger than `limit` after decoding.
    pub fn plain(&self, limit: usize) -> Option<Cow<'_, [u8]>> {
        match self.coding {
            Coding::Decoded => Some(Cow::Borrowed(&self.body)),
            Coding::Unknown(_) | Coding::Damaged(_) => None,
            // A part of a compressed body cannot be decoded.
            Coding::AsSent => plain(values(self), &self.body, limit)
                .filter(|plain| self.status != 206 || matches!(plain, Cow::Borrowed(_))),
        }
    }

    fn decode(&mut self, limit: usize) {
        let codings = names(values(self));
        // An answer to HEAD has the headers of a body, but no body.
        if self.coding != Coding::AsSent || codings.is_empty() || self.body.is_empty() {
            return;
        }
        if self.status == 206 {
            self.coding = Coding::Unknown("a part of a compressed body cannot be decoded".to_owned());
            return;
        }
        self.coding = match undo(&self.body, &codings, limit) {
            Ok(body) => {
                self.body = body;
                self.body.shrink_to_fit();
                Coding::Decoded
            }
            Err(why) => why,
        };
    }
}

/// The body, decoded as the values of all its `Content-Encoding` headers say. `None` if it cannot be decoded, or is
/// larger than `limit` after decoding.
pub fn plain<'a, 'b>(
    headers: impl IntoIterator<Item = &'a str>,
    body: &'b [u8],
    limit: usize,
) -> Option<Cow<'b, [u8]>> {
    match names(headers) {
        codings if codings.is_empty() || body.is_empty() => Some(Cow::Borrowed(body)),
        codings => undo(body, &codings, limit.min(LIMIT)).ok().map(Cow::Owned),
    }
}

/// The result of comparing two bodies that differ as sent if at least one cannot be decoded. `None` if both can be.
pub(crate) fn unreadable(mine: &Answer, theirs: &Answer) -> Option<Result<Differences, String>> {
    if mine.body == theirs.body && mine.coding == theirs.coding {
        return None;
    }
    let one_is_damaged = |mine: &str, theirs: &str, why: &str| {
        let difference = Difference::new(Place::Body, Some(mine), Some(theirs));
        Some(Ok(difference.with_note(format!("it cannot be decoded, {why}")).into()))
    };
    match (&mine.coding, &theirs.coding) {
        (Coding::Unknown(why), _) | (_, Coding::Unknown(why)) => Some(Err(why.clone())),
        (Coding::Damaged(_), Coding::Damaged(why)) => Some(Err(format!("neither body can be decoded, {why}"))),
        (_, Coding::Damaged(why)) => one_is_damaged("readable", "damaged", why),
        (Coding::Damaged(why), _) => one_is_damaged("damaged", "readable", why),
        _ => None,
    }
}

/// Whether the `Content-Encoding` headers of two answers differ.
pub(crate) fn differ(mine: &Answer, theirs: &Answer) -> bool {
    values(mine).ne(values(theirs))
}

fn values(answer: &Answer) -> impl Iterator<Item = &str> {
    answer.headers.iter().filter(|(name, _)| name == "content-encoding").map(|(_, value)| value.as_str())
}

/// The codings of a body, in the order in which they were applied.
fn names<'a>(headers: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let codings = headers.into_iter().flat_map(|value| value.split(','));
    let codings = codings.map(|coding| coding.trim().to_ascii_lowercase());
    codings.filter(|coding| !coding.is_empty() && coding != "identity").collect()
}

/// Undoes the codings, the last first. No step may make more than `limit` bytes.
fn undo(body: &[u8], codings: &[String], limit: usize) -> Result<Vec<u8>, Coding> {
    if codings.len() > MOST {
        return Err(Coding::Unknown("a body with so many content codings is not decoded".to_owned()));
    }
    let mut body = Cow::Borrowed(body);
    for coding in codings.iter().rev() {
        body = Cow::Owned(match coding.as_str() {
            "gzip" | "x-gzip" => whole("gzip", MultiGzDecoder::new(&*body), limit)?,
            "br" => whole("br", brotli(&body), limit)?,
            // Some servers leave out the zlib frame that the coding requires, and clients accept both.
            "deflate" => match inflate(&body, true, limit) {
                Err(Coding::Damaged(_)) => inflate(&body, false, limit)?,
                done => done?,
            },
            other => {
                let is_name = other.len() <= LONGEST_NAME
                    && other.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
                let name = if is_name { other } else { "of another name" };
                return Err(Coding::Unknown(format!("a body in the content coding {name} cannot be decoded")));
            }
        });
    }
    Ok(body.into_owned())
}

/// Refuses windows above the 16 MiB of RFC 7932. By default, the crate accepts up to 1 GiB.
fn brotli(body: &[u8]) -> Decompressor<&[u8]> {
    let mut decoder = Decompressor::new(body, 4096);
    decoder.set_parameter(BROTLI_DECODER_PARAM_LARGE_WINDOW, 0);
    decoder
}

fn whole(coding: &str, decoder: impl Read, limit: usize) -> Result<Vec<u8>, Coding> {
    let mut body = Vec::new();
    let damaged = |error: io::Error| Coding::Damaged(format!("as {coding}: {error}"));
    decoder.take(limit as u64 + 1).read_to_end(&mut body).map_err(damaged)?;
    if body.len() > limit { Err(too_large(limit)) } else { Ok(body) }
}

/// Decodes a deflate stream, with or without zlib's frame. (The readers of flate2 accept a truncated stream as
/// complete.)
fn inflate(body: &[u8], has_frame: bool, limit: usize) -> Result<Vec<u8>, Coding> {
    let damaged = |why: &str| Coding::Damaged(format!("as deflate: {why}"));
    let mut stream = Decompress::new(has_frame);
    let mut decoded = Vec::with_capacity(4096.max(body.len()).min(limit + 1));
    let mut rest = body;
    while decoded.len() <= limit {
        let before = (stream.total_in(), stream.total_out());
        let status = stream.decompress_vec(rest, &mut decoded, FlushDecompress::None);
        let read = usize::try_from(stream.total_in() - before.0).unwrap_or(rest.len());
        rest = &rest[read.min(rest.len())..];
        match status {
            Ok(Status::StreamEnd) if decoded.len() <= limit => return Ok(decoded),
            Ok(Status::StreamEnd) => return Err(too_large(limit)),
            Err(error) => return Err(damaged(&error.to_string())),
            Ok(_) if decoded.len() == decoded.capacity() => {
                decoded.reserve_exact(decoded.len().min((limit + 1).saturating_sub(decoded.len())));
            }
            Ok(_) if (stream.total_in(), stream.total_out()) == before => return Err(damaged("it ends too soon")),
            Ok(_) => {}
        }
    }
    Err(too_large(limit))
}

fn too_large(limit: usize) -> Coding {
    Coding::Unknown(format!("a body is larger than {} MiB once it is decoded", limit >> 20))
}
