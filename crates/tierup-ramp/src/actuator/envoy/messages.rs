//! The messages of xDS that RTDS needs, as gRPC frames them: those fields of Envoy's `discovery.proto` and `rtds.proto`
//! that the judge reads or sets.

use std::{collections::BTreeMap, time::Duration};

use bytes::{Buf as _, Bytes, BytesMut};
use prost::Message;
use prost_types::{Any, Struct, Value, value::Kind};
use tierup_rollout::Weights;

use super::config::{LAYER, keys};

const RUNTIME: &str = "type.googleapis.com/envoy.service.runtime.v3.Runtime";
const RESOURCE: &str = "type.googleapis.com/envoy.service.discovery.v3.Resource";
/// The bytes before each message: whether it is compressed, and its length.
const HEAD: usize = 5;
/// Envoy's requests have some ten kilobytes, as it lists its extensions in them.
const LONGEST: usize = 256 << 10;

/// What Envoy says: it subscribes, or it took or refused a layer.
#[derive(Clone, PartialEq, Message)]
pub(super) struct DiscoveryRequest {
    /// In a stream's first request, or in each.
    #[prost(message, optional, tag = "2")]
    pub(super) node: Option<Node>,
    /// The answer that this is about; empty in a stream's first request.
    #[prost(string, tag = "5")]
    pub(super) response_nonce: String,
    /// Why Envoy refused that answer.
    #[prost(message, optional, tag = "6")]
    pub(super) error_detail: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Node {
    #[prost(string, tag = "1")]
    pub(super) id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Status {
    #[prost(string, tag = "2")]
    pub(super) message: String,
}

#[derive(Clone, PartialEq, Message)]
struct DiscoveryResponse {
    #[prost(string, tag = "1")]
    version_info: String,
    #[prost(message, repeated, tag = "2")]
    resources: Vec<Any>,
    #[prost(string, tag = "4")]
    type_url: String,
    #[prost(string, tag = "5")]
    nonce: String,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, optional, tag = "2")]
    resource: Option<Any>,
    #[prost(string, tag = "3")]
    name: String,
    #[prost(message, optional, tag = "6")]
    ttl: Option<prost_types::Duration>,
}

#[derive(Clone, PartialEq, Message)]
struct Runtime {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "2")]
    layer: Option<Struct>,
}

/// The bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotAMessage;

/// Takes the next whole gRPC message from what has arrived; `None` if there is none yet.
pub(super) fn take(arrived: &mut BytesMut) -> Result<Option<DiscoveryRequest>, NotAMessage> {
    let Some((&[compressed, ref length @ ..], _)) = arrived.split_first_chunk::<HEAD>() else { return Ok(None) };
    let length = usize::try_from(u32::from_be_bytes(*length)).map_err(|_| NotAMessage)?;
    if compressed != 0 || length > LONGEST {
        return Err(NotAMessage);
    }
    if arrived.len() < HEAD + length {
        return Ok(None);
    }
    arrived.advance(HEAD);
    DiscoveryRequest::decode(arrived.split_to(length)).map(Some).map_err(|_| NotAMessage)
}

/// An answer with the layer, which Envoy forgets after `ttl`.
pub(super) fn answer(number: u64, version: &str, weights: Weights, ttl: Duration) -> Bytes {
    let value = |(key, value): (&str, u16)| (key.to_owned(), Value { kind: Some(Kind::NumberValue(value.into())) });
    let fields: BTreeMap<_, _> = keys(weights).map(value).into();
    let runtime = Runtime { name: LAYER.to_owned(), layer: Some(Struct { fields }) };
    // A time to live that is too long for the message would be none.
    let ttl = prost_types::Duration::try_from(ttl).ok();
    let resource = Resource { resource: Some(any(RUNTIME, &runtime)), name: LAYER.to_owned(), ttl };
    let message = DiscoveryResponse {
        version_info: version.to_owned(),
        resources: vec![any(RESOURCE, &resource)],
        type_url: RUNTIME.to_owned(),
        nonce: number.to_string(),
    }
    .encode_to_vec();
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes();
    [&[0], &length[..], &message].concat().into()
}

fn any(type_url: &str, message: &impl Message) -> Any {
    Any { type_url: type_url.to_owned(), value: message.encode_to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(message: &[u8]) -> BytesMut {
        BytesMut::from(&[&[0, 0, 0, 0, message.len() as u8], message].concat()[..])
    }

    #[test]
    fn requests_are_taken_as_they_arrive() {
        // As Envoy sends it: node 1 (id "front", cluster "edge"), a number it does not know, nonce and error.
        let first = b"\x12\x0d\x0a\x05front\x12\x04edge\x38\x96\x01\x2a\x0242\x32\x0d\x08\x0d\x12\x09no such k";
        let whole = framed(first);
        for end in 0..whole.len() {
            assert_eq!(take(&mut BytesMut::from(&whole[..end])), Ok(None));
        }
        let mut two = whole.clone();
        two.extend_from_slice(&framed(b"\x2a\x0243"));
        let first = take(&mut two).expect("a message").expect("it is whole");
        let said = (first.node.expect("its node").id, first.error_detail.expect("its reason").message);
        assert_eq!((said.0.as_str(), said.1.as_str(), &*first.response_nonce), ("front", "no such k", "42"));
        assert_eq!(take(&mut two).expect("a message").expect("it is whole").response_nonce, "43");
        assert!(two.is_empty());
    }

    #[test]
    fn other_bytes_are_no_message() {
        assert_eq!(take(&mut framed(&[0x12, 9, 0])), Err(NotAMessage));
        assert_eq!(take(&mut BytesMut::from(&[1, 0, 0, 0, 0][..])), Err(NotAMessage), "compressed");
        assert_eq!(take(&mut BytesMut::from(&[0, 0xff, 0, 0, 0][..])), Err(NotAMessage), "too long");
    }

    #[test]
    fn an_answer_has_the_layer_and_its_end() {
        let weights = Weights::with_twin("5%".parse().expect("a part"));
        let answer = answer(300, "3f2a9c01-7", weights, Duration::from_millis(60_500));
        assert_eq!(answer[..HEAD], [0, 0, 0, 0x01, (answer.len() - HEAD) as u8]);
        let found = DiscoveryResponse::decode(&answer[HEAD..]).expect("a message");
        assert_eq!((&*found.version_info, &*found.nonce, &*found.type_url), ("3f2a9c01-7", "300", RUNTIME));
        let resource = Resource::decode(&*found.resources[0].value).expect("a message");
        assert_eq!(resource.ttl, Some(prost_types::Duration { seconds: 60, nanos: 500_000_000 }));
        let runtime = Runtime::decode(&*resource.resource.expect("its contents").value).expect("a message");
        let fields = runtime.layer.expect("its keys").fields;
        assert_eq!(fields.len(), 3);
        assert_eq!(fields["tierup.weight.tierup-candidate"].kind, Some(Kind::NumberValue(500.0)));
    }
}
