//! How a secret may be written: in a target, in a body, in a report, and in Base64.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};

use super::readings::{meanings, readings};
use crate::target::{percent_encode, percent_encode_component};

/// Shorter secrets are not looked for within other Base64 text: its pieces would occur by accident.
const SHORTEST_PIECE: usize = 5;

/// The spellings of a value in a target, in a body, and in a report that shows either.
pub(super) fn spellings(value: &str) -> Vec<String> {
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    let mut forms = vec![value.to_owned(), percent_encode(value), percent_encode_component(value), escaped];
    forms.sort();
    forms.dedup();
    forms
}

/// All texts that reveal the value, other than those that [`readings`](super::readings) decodes: as a form spells it,
/// with its own escapes decoded, and in Base64, alone or as a part of a longer text.
pub(super) fn disguises(value: &str) -> Vec<String> {
    let mut forms = Vec::new();
    let all = readings(value.as_bytes()).map(|reading| reading.bytes.into_owned());
    for reading in all.chain(meanings(value.as_bytes())) {
        let Ok(value) = str::from_utf8(&reading) else { continue };
        forms.extend(spellings(value));
        if value.contains(' ') {
            forms.extend(spellings(&value.replace(' ', "+")));
        }
        forms.extend(in_base64(value.as_bytes()));
    }
    forms.sort();
    forms.dedup();
    forms
}

fn in_base64(value: &[u8]) -> Vec<String> {
    let mut forms = Vec::new();
    for engine in [&BASE64_STANDARD, &BASE64_URL_SAFE] {
        let whole = engine.encode(value);
        forms.push(whole.trim_end_matches('=').to_owned());
        forms.push(whole);
        if value.len() < SHORTEST_PIECE {
            continue;
        }
        // The value may follow 0, 1 or 2 bytes of a group of three; only characters that depend on the value alone are
        // kept.
        for before in 0..3 {
            let text = engine.encode([&[0; 2][..before], value].concat());
            let (first, end) = ((8 * before).div_ceil(6), 8 * (before + value.len()) / 6);
            forms.push(text[first..end].to_owned());
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_recognized_at_every_offset() {
        let forms = disguises("s3cret-token");
        for before in ["", "a", "ab", "abc", "user:"] {
            for behind in ["", "x", "xy"] {
                let text = BASE64_STANDARD.encode(format!("{before}s3cret-token{behind}"));
                assert!(forms.iter().any(|form| text.contains(form.as_str())), "{before} {behind}");
            }
        }
        assert!(disguises("abcd").contains(&"YWJjZA".to_owned()));
    }

    #[test]
    fn a_value_may_contain_what_looks_like_an_escape_of_another_kind() {
        let escaped = [
            (r#"s3c\"ret%31"#, r#"s3c"ret%31"#),
            ("s3c%22ret&amp;", r#"s3c"ret&amp;"#),
            // Twice in JSON, and in JSON in HTML.
            (r#"s3c\\\"ret%31"#, r#"s3c"ret%31"#),
            (r"s3c\&quot;ret%31", r#"s3c"ret%31"#),
        ];
        for (written, value) in escaped {
            let in_base64 = BASE64_STANDARD.encode(value);
            assert!(disguises(written).contains(&in_base64), "{written}");
        }
    }
}
