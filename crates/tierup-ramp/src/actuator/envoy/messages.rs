//! The messages of xDS that RTDS needs, in Protocol Buffers' encoding, as gRPC frames them. Two small messages do not
//! need a generator and its crates. Numbers of fields are from Envoy's `discovery.proto` and `rtds.proto`.

use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use tierup_rollout::Weights;

use super::config::{LAYER, keys};

const RUNTIME: &str = "type.googleapis.com/envoy.service.runtime.v3.Runtime";
const RESOURCE: &str = "type.googleapis.com/envoy.service.discovery.v3.Resource";
/// Envoy's requests have some ten kilobytes, as it lists its extensions in them.
const LONGEST: usize = 4 << 20;

/// What Envoy says (`DiscoveryRequest`): it subscribes, or it took or refused a layer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Request {
    /// `node.id`, only in a stream's first request.
    pub(super) node: Option<String>,
    /// The number of the answer that this is about; 0 in a stream's first request.
    pub(super) about: u64,
    /// Why Envoy refused that answer.
    pub(super) refused: Option<String>,
}

/// The bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotAMessage;

/// Takes the next whole gRPC message from what has arrived; `None` if there is none yet.
pub(super) fn take(arrived: &mut BytesMut) -> Result<Option<Request>, NotAMessage> {
    let Some((&[compressed, ref length @ ..], _)) = arrived.split_first_chunk::<5>() else { return Ok(None) };
    let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|_| NotAMessage)?;
    if compressed != 0 || length > LONGEST {
        return Err(NotAMessage);
    }
    if arrived.len() < 5 + length {
        return Ok(None);
    }
    arrived.advance(5);
    request(&arrived.split_to(length)).map(Some)
}

fn request(message: &[u8]) -> Result<Request, NotAMessage> {
    let mut request = Request::default();
    for (number, field) in fields(message)? {
        match number {
            2 => request.node = first_text(field, 1)?,
            5 => request.about = text(field).parse().unwrap_or_default(),
            6 => request.refused = Some(first_text(field, 2)?.unwrap_or_default()),
            _ => {}
        }
    }
    Ok(request)
}

/// An answer (`DiscoveryResponse`) with the layer, which Envoy forgets after `ttl`.
pub(super) fn answer(number: u64, version: &str, weights: Weights, ttl: Duration) -> Bytes {
    let mut values = Vec::new();
    for (key, value) in keys(weights) {
        let mut number = vec![2 << 3 | 1];
        number.extend_from_slice(&f64::from(value).to_le_bytes());
        let entry = [field(1, key.as_bytes()), field(2, &number)].concat();
        values.extend(field(1, &entry));
    }
    let runtime = [field(1, LAYER.as_bytes()), field(2, &values)].concat();
    let mut duration = vec![1 << 3];
    varint(ttl.as_secs(), &mut duration);
    duration.push(2 << 3);
    varint(ttl.subsec_nanos().into(), &mut duration);
    let resource = [field(2, &any(RUNTIME, &runtime)), field(3, LAYER.as_bytes()), field(6, &duration)].concat();
    let message = [
        field(1, version.as_bytes()),
        field(2, &any(RESOURCE, &resource)),
        field(4, RUNTIME.as_bytes()),
        field(5, number.to_string().as_bytes()),
    ]
    .concat();
    let mut framed = vec![0];
    framed.extend_from_slice(&u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes());
    framed.extend(message);
    framed.into()
}

fn any(kind: &str, value: &[u8]) -> Vec<u8> {
    [field(1, kind.as_bytes()), field(2, value)].concat()
}

/// A field of text, bytes or another message.
fn field(number: u8, value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    varint(value.len() as u64, &mut bytes);
    bytes.extend_from_slice(value);
    bytes
}

fn varint(mut value: u64, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// A message's fields of text, bytes or other messages; others are skipped.
fn fields(mut message: &[u8]) -> Result<Vec<(u64, &[u8])>, NotAMessage> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let tag = read_varint(&mut message)?;
        let length = match tag & 7 {
            0 => read_varint(&mut message).map(|_| 0)?,
            1 => 8,
            2 => read_varint(&mut message)?,
            5 => 4,
            _ => return Err(NotAMessage),
        };
        let length = usize::try_from(length).map_err(|_| NotAMessage)?;
        let (value, rest) = message.split_at_checked(length).ok_or(NotAMessage)?;
        message = rest;
        if tag & 7 == 2 {
            fields.push((tag >> 3, value));
        }
    }
    Ok(fields)
}

fn read_varint(message: &mut &[u8]) -> Result<u64, NotAMessage> {
    let mut value = 0;
    for place in 0..10 {
        let (byte, rest) = message.split_first().ok_or(NotAMessage)?;
        *message = rest;
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(NotAMessage)
}

fn first_text(message: &[u8], number: u64) -> Result<Option<String>, NotAMessage> {
    Ok(fields(message)?.into_iter().find(|(one, _)| *one == number).map(|(_, value)| text(value)))
}

fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(message: &[u8]) -> BytesMut {
        let mut framed = BytesMut::from(&[0, 0, 0, 0, message.len() as u8][..]);
        framed.extend_from_slice(message);
        framed
    }

    #[test]
    fn requests_are_taken_as_they_arrive() {
        let node = [field(1, b"front"), field(2, b"edge")].concat();
        let refused = [vec![1 << 3, 13], field(2, b"no such key")].concat();
        let whole = framed(&[field(2, &node), vec![7 << 3, 0x96, 1], field(5, b"42"), field(6, &refused)].concat());
        for end in 0..whole.len() {
            assert_eq!(take(&mut BytesMut::from(&whole[..end])), Ok(None));
        }
        let mut two = whole.clone();
        two.extend_from_slice(&framed(&field(5, b"43")));
        let first = Request { node: Some("front".into()), about: 42, refused: Some("no such key".into()) };
        assert_eq!(take(&mut two), Ok(Some(first)));
        assert_eq!(take(&mut two), Ok(Some(Request { about: 43, ..Request::default() })));
        assert!(two.is_empty());
    }

    #[test]
    fn other_bytes_are_no_message() {
        for wrong in [&[0x80][..], &[2 << 3 | 2, 9, 0], &[3], &[0xff; 12], &[1 << 3 | 1, 0], &[2 << 3 | 2, 1, 0x80]] {
            assert_eq!(take(&mut framed(wrong)), Err(NotAMessage), "{wrong:?}");
        }
        assert_eq!(take(&mut BytesMut::from(&[1, 0, 0, 0, 0][..])), Err(NotAMessage), "compressed");
        assert_eq!(take(&mut BytesMut::from(&[0, 0xff, 0, 0, 0][..])), Err(NotAMessage), "too long");
    }

    #[test]
    fn an_answer_has_the_layer_and_its_end() {
        let weights = Weights::with_twin("5%".parse().expect("a part"));
        let answer = answer(300, "3f2a9c01-7", weights, Duration::from_millis(60_500));
        assert_eq!(answer[..5], [0, 0, 0, 0x01, answer.len() as u8 - 5]);
        let found = |message: &'_ [u8], number| -> Vec<u8> {
            let fields = fields(message).expect("a message");
            fields.into_iter().find(|(one, _)| *one == number).expect("the field").1.to_vec()
        };
        assert_eq!((found(&answer[5..], 1), found(&answer[5..], 5)), (b"3f2a9c01-7".to_vec(), b"300".to_vec()));
        let resource = found(&found(&answer[5..], 2), 2);
        assert_eq!(found(&resource, 6), [1 << 3, 60, 2 << 3, 0x80, 0xca, 0xb5, 0xee, 0x01], "60 s and 500,000,000 ns");
        let layer = found(&found(&found(&resource, 2), 2), 2);
        let entries: Vec<_> = fields(&layer).expect("a message").into_iter().map(|(_, entry)| entry).collect();
        assert_eq!(entries.len(), 3);
        assert_eq!(found(entries[0], 1), b"tierup.weight.tierup-candidate");
        assert_eq!(found(entries[0], 2)[1..], 500_f64.to_le_bytes());
    }
}
