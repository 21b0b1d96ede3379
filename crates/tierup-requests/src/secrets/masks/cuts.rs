//! Finds parts of secrets next to a cut (`…`) in a text.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::SHORTEST;
use super::super::readings::Reading;
use super::Found;

const CUT: &str = "…";
/// The longest incomplete escape that may stand next to a cut: `%2`, `\u00e`, `&#x1f98`.
const LONGEST_ESCAPE: usize = 10;

/// The parts of secrets that remain next to the cuts of a text.
pub(super) fn parts<'s>(forms: &'s BTreeMap<String, String>, reading: &Reading<'_>) -> Vec<Found<'s>> {
    let (bytes, cut) = (&reading.bytes[..], CUT.as_bytes());
    let cuts = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(cut));
    let cuts: Vec<usize> = cuts.collect();
    if cuts.is_empty() {
        return Vec::new();
    }
    let ends: Vec<usize> = cuts.into_iter().chain([bytes.len()]).collect();
    let (mut found, mut start) = (Vec::new(), 0);
    for (number, end) in ends.iter().copied().enumerate() {
        let (is_cut_before, is_cut_behind) = (number > 0, number + 1 < ends.len());
        // A text in quotes may be cut within them: `…"rest"`.
        let quote = usize::from(is_cut_before && bytes[start..end].starts_with(b"\""));
        let piece = start + quote..end;
        for (form, written) in forms {
            let ranges = [
                is_cut_before.then(|| at_start(form, bytes, &piece)),
                is_cut_behind.then(|| at_end(form, bytes, &piece)),
                (is_cut_before && is_cut_behind).then(|| within(form, bytes, &piece)),
            ];
            let found_here = ranges.into_iter().flatten().flatten();
            found.extend(
                found_here.map(|part| (reading.source(part.start)..reading.source(part.end), written.as_str())),
            );
        }
        start = end + cut.len();
    }
    found
}

/// The end of a secret whose start was cut off.
fn at_start(form: &str, bytes: &[u8], piece: &Range<usize>) -> Option<Range<usize>> {
    let escape = bytes[piece.clone()].iter().take(LONGEST_ESCAPE).take_while(|byte| is_of_escape(**byte)).count();
    (0..=escape).find_map(|skipped| {
        let rest = &bytes[piece.start + skipped..piece.end];
        let found = suffixes(form).find(|suffix| rest.starts_with(suffix.as_bytes()))?;
        Some(piece.start..piece.start + skipped + found.len())
    })
}

/// The start of a secret whose end was cut off.
fn at_end(form: &str, bytes: &[u8], piece: &Range<usize>) -> Option<Range<usize>> {
    let first = piece.end.saturating_sub(LONGEST_ESCAPE).max(piece.start);
    let escape = (first..piece.end).find(|at| b"%\\&".contains(&bytes[*at]));
    [Some(piece.end), escape].into_iter().flatten().find_map(|end| {
        let rest = &bytes[piece.start..end];
        let found = prefixes(form).find(|prefix| rest.ends_with(prefix.as_bytes()))?;
        Some(end - found.len()..piece.end)
    })
}

/// The whole piece, if it is the middle of a longer secret.
fn within(form: &str, bytes: &[u8], piece: &Range<usize>) -> Option<Range<usize>> {
    let rest = &bytes[piece.clone()];
    let is_part = rest.len() >= SHORTEST && form.as_bytes().windows(rest.len()).any(|window| window == rest);
    is_part.then(|| piece.clone())
}

fn is_of_escape(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || b"%\\&u#xX;".contains(&byte)
}

/// The prefixes of a secret, from the longest to the shortest that still reveals something.
fn prefixes(form: &str) -> impl Iterator<Item = &str> {
    let ends: Vec<usize> = form.char_indices().map(|(at, _)| at).skip(SHORTEST).collect();
    ends.into_iter().rev().map(|end| &form[..end])
}

/// The suffixes of a secret, from the longest to the shortest that still reveals something.
fn suffixes(form: &str) -> impl Iterator<Item = &str> {
    let starts: Vec<usize> = form.char_indices().map(|(at, _)| at).skip(1).collect();
    let enough = starts.len().saturating_sub(SHORTEST - 1);
    starts.into_iter().take(enough).map(|start| &form[start..])
}
