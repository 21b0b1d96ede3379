//! Compares bodies byte by byte.

use crate::difference::{Difference, Differences, LONGEST, Place};
use crate::json::Text;

/// How many bytes are shown, starting with the first that differs.
const SHOWN: usize = 16;

/// The first difference between two bodies: a line if both are text, otherwise a byte. Only the first is reported,
/// because the rest is often only shifted.
pub(crate) fn compare(control: &[u8], candidate: &[u8]) -> Differences {
    if control == candidate {
        return Differences::default();
    }
    let at = control.iter().zip(candidate).take_while(|(one, other)| one == other).count();
    match (std::str::from_utf8(control), std::str::from_utf8(candidate)) {
        (Ok(control), Ok(candidate)) => in_texts(control, candidate, at).into(),
        _ => in_bytes(control, candidate, at).into(),
    }
}

fn in_texts(control: &str, candidate: &str, at: usize) -> Difference {
    let start = control.as_bytes()[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let number = control.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
    let [mine, theirs] = [control, candidate].map(|text| shown_line(text, start, at));
    let difference = Difference::new(Place::Line(number), mine.as_deref(), theirs.as_deref());
    let sizes = (control.len(), candidate.len());
    difference.with_note(format!("from byte {at}; {} bytes instead of {}", sizes.1, sizes.0))
}

/// The line that begins at `start`, as a JSON string, from shortly before byte `at`. It includes the line end, which
/// may be the difference. `None` if the text ends before `start`.
fn shown_line(text: &str, start: usize, at: usize) -> Option<String> {
    const BEFORE: usize = 40;
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    let line = rest.split_inclusive('\n').next().unwrap_or(rest);
    let from = line.floor_char_boundary((at - start).saturating_sub(BEFORE).min(line.len()));
    let cut = if from > 0 { "…" } else { "" };
    Some(format!("{cut}{:?}", Text::from(&line[from..]).start(4 * LONGEST)))
}

fn in_bytes(control: &[u8], candidate: &[u8], at: usize) -> Difference {
    let shown = |bytes: &[u8]| {
        let rest = &bytes[at..];
        let hexadecimal: Vec<String> = rest.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
        let more = if rest.len() > SHOWN { " …" } else { "" };
        (!rest.is_empty()).then(|| format!("{}{more}", hexadecimal.join(" ")))
    };
    let difference = Difference::new(Place::Byte(at), shown(control).as_deref(), shown(candidate).as_deref());
    difference.with_note(format!("{} bytes instead of {}", candidate.len(), control.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(control: &[u8], candidate: &[u8], expected: Expect) {
        let differences = compare(control, candidate);
        let lines: Vec<String> = differences.list.iter().map(ToString::to_string).collect();
        expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn texts_and_bytes() {
        check(b"same", b"same", expect![[""]]);
        check(b"", b"", expect![[""]]);
        check(
            b"one\ntwo\n",
            b"one\ntoo\n",
            expect![[r#"line 2: "too\n" instead of "two\n" (from byte 5; 8 bytes instead of 8)"#]],
        );
        check(b"one", b"one\n", expect![[r#"line 1: "one\n" instead of "one" (from byte 3; 4 bytes instead of 3)"#]]);
        check(
            b"one\n",
            b"one\ntwo",
            expect![[r#"line 2: "two" instead of nothing (from byte 4; 7 bytes instead of 4)"#]],
        );
        check(
            "ä".as_bytes(),
            "ö".as_bytes(),
            expect![[r#"line 1: "ö" instead of "ä" (from byte 1; 2 bytes instead of 2)"#]],
        );
        check(b"\xff\x00\x01", b"\xff\x02", expect![["byte 1: 02 instead of 00 01 (2 bytes instead of 3)"]]);
        check(b"\xff", b"\xff\x02", expect![["byte 1: 02 instead of nothing (2 bytes instead of 1)"]]);
    }

    #[test]
    fn a_long_line_is_shown_where_it_differs() {
        let [one, other] = ["x", "y"].map(|end| format!("{}{end}", "€".repeat(1000)));
        let differences = compare(one.as_bytes(), other.as_bytes());
        let shown = differences.list[0].candidate.clone().unwrap();
        assert!(shown.starts_with("…\"€") && shown.ends_with("€y\""), "{shown}");
    }
}
