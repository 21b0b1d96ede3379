//! Compressed answers are compared by their content.

use std::io::Write as _;

use expect_test::{Expect, expect};
use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder, ZlibEncoder},
};
use tierup_parity::{
    Answer, Coding, Comparator, Finding, HeaderRules, JsonRules, Observation, Policy, Seen, compare, decode, plain,
};

fn answer(coding: &str, body: Vec<u8>) -> Observation {
    let headers = [("content-encoding", coding), ("etag", coding)];
    let headers = headers.into_iter().filter(|(_, value)| !value.is_empty());
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Observation::new(Seen::Answer(Answer { status: 200, headers, body, ..Answer::default() }))
}

fn gzip(text: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("there is room")
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("there is room")
}

fn deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).and_then(|()| encoder.finish()).expect("there is room")
}

/// A stream of one uncompressed block (RFC 7932, section 9.2), and an empty last one.
fn brotli(text: &[u8]) -> Vec<u8> {
    let head = u32::try_from(text.len() - 1).expect("it is short") << 4 | 1 << 20;
    [&head.to_le_bytes()[..3], text, &[3]].concat()
}

/// The rules of a project that ignores the coding itself.
fn any_coding() -> Policy {
    let ignore = vec!["Content-Encoding".to_owned()];
    let headers = HeaderRules { ignore, ..HeaderRules::default() };
    Policy { bodies: Comparator::Json(JsonRules::default()), headers, ..Policy::default() }
}

fn found(mut control: Observation, mut candidate: Observation, policy: &Policy) -> String {
    decode(&mut control, &mut candidate);
    match compare(&control, &candidate, policy) {
        Finding::Mismatch(found) => found.list.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        other => format!("{other:?}"),
    }
}

fn check(control: Observation, candidate: Observation, expected: Expect) {
    expected.assert_eq(&found(control, candidate, &any_coding()));
}

const SUM: &[u8] = br#"{"sum": 40, "of": [1, 39]}"#;
/// The same JSON, written differently.
const SUM_TOO: &[u8] = br#"{"of":[1,39],"sum":40}"#;
const OTHER: &[u8] = br#"{"sum": 41, "of": [1, 39]}"#;

#[test]
fn the_content_is_compared_and_not_its_compression() {
    let all = [
        answer("", SUM_TOO.to_vec()),
        answer("identity", SUM_TOO.to_vec()),
        answer("gzip", gzip(SUM_TOO, 1)),
        answer("X-GZIP", [gzip(&SUM_TOO[..5], 9), gzip(&SUM_TOO[5..], 9)].concat()),
        answer("deflate", zlib(SUM_TOO)),
        answer("deflate", deflate(SUM_TOO)),
        answer("br", brotli(SUM_TOO)),
        answer("deflate, gzip", gzip(&zlib(SUM_TOO), 6)),
    ];
    for one in all {
        check(answer("gzip", gzip(SUM, 6)), one.clone(), expect!["Same"]);
        check(one, answer("br", brotli(OTHER)), expect!["$.sum: 41 instead of 40"]);
    }
}

#[test]
fn the_coding_is_compared_unless_the_project_ignores_it() {
    let (mine, theirs) = (answer("gzip", gzip(SUM, 6)), answer("br", brotli(SUM)));
    let strict = Policy { headers: HeaderRules::default(), ..any_coding() };
    expect!["header Content-Encoding: br instead of gzip"].assert_eq(&found(mine.clone(), theirs.clone(), &strict));
    expect!["Same"].assert_eq(&found(answer("gzip", gzip(SUM, 9)), answer("gzip", gzip(SUM, 1)), &strict));
    // Each coding has an entity tag of its own (RFC 9110, section 8.8.3).
    let mut tags = any_coding();
    tags.headers.also = vec!["ETag".to_owned()];
    expect!["Same"].assert_eq(&found(mine.clone(), theirs, &tags));
    let untagged = |coding: &str| {
        let headers = vec![("content-encoding".to_owned(), coding.to_owned())];
        Observation::new(Seen::Answer(Answer { status: 200, headers, body: gzip(SUM, 6), ..Answer::default() }))
    };
    expect!["header ETag: nothing instead of gzip"].assert_eq(&found(mine, untagged("gzip"), &tags));
}

#[test]
fn undecodable_bodies_are_not_compared() {
    let good = || answer("gzip", gzip(SUM, 6));
    check(
        good(),
        answer("zstd", b"(\xb5/\xfd".to_vec()),
        expect![[r#"Error("a body in the content coding zstd cannot be decoded")"#]],
    );
    check(
        good(),
        answer("secret of a client", b"x".to_vec()),
        expect![[r#"Error("a body in the content coding of another name cannot be decoded")"#]],
    );
    let bomb = gzip(&vec![0; 17 << 20], 9);
    assert!(bomb.len() < 20_000);
    let mut bombs = vec![("gzip", bomb.clone()), ("gzip, gzip", gzip(&bomb, 9))];
    // Incompressible bytes change how the buffer for the decoded bytes grows.
    bombs.extend([0, 4096].map(|length| {
        let mixed = (0..length).map(|number: u32| number.wrapping_mul(2_654_435_761).to_be_bytes()[1]);
        ("deflate", zlib(&mixed.chain(std::iter::repeat_n(0, 20 << 20)).collect::<Vec<_>>()))
    }));
    for (coding, bomb) in bombs {
        check(good(), answer(coding, bomb), expect![[r#"Error("a body is larger than 2 MiB once it is decoded")"#]]);
    }
    // RFC 7932 has no window of 1 GiB, so it is refused, however short the text.
    check(
        good(),
        answer("br", vec![0x11, 0xde]),
        expect!["body: damaged instead of readable (it cannot be decoded, as br: Invalid Data)"],
    );
    let many = ["gzip"; 9].join(", ");
    check(
        good(),
        answer(&many, gzip(SUM, 6)),
        expect![[r#"Error("a body with so many content codings is not decoded")"#]],
    );
    // Equal bytes are alike even in an unknown coding.
    check(answer("zstd", b"x".to_vec()), answer("zstd", b"x".to_vec()), expect!["Same"]);
    check(
        answer("zstd", b"x".to_vec()),
        answer("zstd", b"y".to_vec()),
        expect![[r#"Error("a body in the content coding zstd cannot be decoded")"#]],
    );
    let status = Policy { bodies: Comparator::Status, ..any_coding() };
    expect!["Same"].assert_eq(&found(good(), answer("zstd", b"x".to_vec()), &status));
}

#[test]
fn a_body_that_no_client_can_read_differs() {
    for (coding, body) in
        [("gzip", gzip(SUM, 6)), ("deflate", zlib(SUM)), ("deflate", deflate(SUM)), ("br", brotli(SUM))]
    {
        let cut = answer(coding, body[..body.len() - 2].to_vec());
        let of_candidate = found(answer("", SUM.to_vec()), cut.clone(), &any_coding());
        assert!(
            of_candidate.starts_with("body: damaged instead of readable (it cannot be decoded, as "),
            "{of_candidate}"
        );
        let of_control = found(cut, answer("", SUM.to_vec()), &any_coding());
        assert!(of_control.starts_with("body: readable instead of damaged"), "{of_control}");
    }
    check(answer("gzip", SUM.to_vec()), answer("gzip", SUM.to_vec()), expect!["Same"]);
}

#[test]
fn answers_without_a_body_and_parts_are_not_decoded() {
    check(answer("gzip", Vec::new()), answer("gzip", Vec::new()), expect!["Same"]);
    let part = |level| {
        let Seen::Answer(answer) = answer("gzip", gzip(SUM, level)[3..].to_vec()).seen else { unreachable!() };
        Observation::new(Seen::Answer(Answer { status: 206, ..answer }))
    };
    check(part(1), part(9), expect![[r#"Error("a part of a compressed body cannot be decoded")"#]]);
}

#[test]
fn a_decoded_answer_equals_the_same_answer_as_sent() {
    let part = |body: &[u8]| {
        let Seen::Answer(answer) = answer("gzip", body.to_vec()).seen else { unreachable!() };
        Observation::new(Seen::Answer(Answer { status: 206, ..answer }))
    };
    let packed = gzip(SUM, 6);
    let answers = [answer("zstd", b"x".to_vec()), part(b"x"), answer("gzip", b"x".to_vec()), answer("gzip", packed)];
    for first in answers {
        let (mut control, mut again) = (first.clone(), first);
        decode(&mut control, &mut answer("gzip", gzip(OTHER, 1)));
        decode(&mut control, &mut again);
        assert_eq!(compare(&control, &again, &any_coding()), Finding::Same, "{control:?}");
    }
}

#[test]
fn a_body_is_read_without_its_codings() {
    let read = |codings: &[&str], body: &[u8], limit| {
        plain(codings.iter().copied(), body, limit).map(|body| body.into_owned())
    };
    let packed = gzip(SUM, 6);
    assert_eq!(read(&[], &packed, 0), Some(packed.clone()));
    assert_eq!(read(&["identity"], SUM, 0), Some(SUM.to_vec()));
    assert_eq!(read(&["deflate", "GZIP"], &gzip(&zlib(SUM), 6), 100), Some(SUM.to_vec()));
    for limit in [SUM.len() - 1, SUM.len()] {
        let expected = (limit == SUM.len()).then(|| SUM.to_vec());
        assert_eq!(
            (read(&["gzip"], &packed, limit), read(&["deflate"], &zlib(SUM), limit)),
            (expected.clone(), expected)
        );
    }
    assert_eq!((read(&["zstd"], SUM, 100), read(&["gzip"], SUM, 100)), (None, None));
}

#[test]
fn a_body_is_decoded_once() {
    let Seen::Answer(twice) = answer("gzip", gzip(&gzip(SUM, 1), 1)).seen else { unreachable!() };
    let once = twice.decoded();
    assert_eq!((&once.coding, &once.body), (&Coding::Decoded, &gzip(SUM, 1)));
    assert_eq!(once.clone().decoded(), once);
}
