//! Removes secrets from observations and their differences before they are shown. Masking the shown text would not
//! suffice: it may contain only a part of a secret, or one in hexadecimal.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use tierup_parity::{
    Answer, Difference, Differences, DownstreamCall, Finding, Observation, Place, Seen, Step,
    json::{self, Json, Kind, Text},
};
use tierup_requests::Secrets;

use super::report::{Mismatch, NoiseReport, Part, Report, RowReport};
use crate::report::Detail;

/// Two observations without secrets; `None` where there is nothing to mask.
pub(crate) fn both(mine: &Observation, theirs: &Observation, secrets: &Secrets) -> Option<(Observation, Observation)> {
    let masked = (observation(mine, secrets), observation(theirs, secrets));
    ((&masked.0, &masked.1) != (mine, theirs)).then_some(masked)
}

/// The differences `found` between two observations, without secrets. `again` is the comparison of the masked
/// observations. If it has the same difference, its texts are shown, as a text in `found` may have been cut within a
/// secret. It decides nothing else: a masked text may no longer be JSON.
pub(crate) fn detail(found: &Detail, again: &Finding, secrets: &Secrets) -> Detail {
    let Detail::Differences(found) = found else { return found.clone() };
    let mut again: Vec<&Difference> =
        if let Finding::Mismatch(again) = again { again.list.iter().collect() } else { Vec::new() };
    let list = found.list.iter().map(|difference| difference_masked(difference, &mut again, secrets)).collect();
    Detail::Differences(Differences { list, ..*found })
}

/// Removes the entry that it uses from `again`, as two differences may have the same place.
fn difference_masked(found: &Difference, again: &mut Vec<&Difference>, secrets: &Secrets) -> Difference {
    let place = place(&found.place, secrets);
    let text = |text: &Option<String>| {
        let text = text.as_ref()?;
        // Masking cannot find a secret in bytes that are shown as numbers.
        Some(if is_byte(&place) { "(masked)".to_owned() } else { secrets.mask(text).into_owned() })
    };
    let same = again.iter().position(|one| one.place == place && !is_byte(&place));
    let (control, candidate) = match same.map(|index| again.remove(index)) {
        Some(one) => (one.control.clone(), one.candidate.clone()),
        None => (text(&found.control), text(&found.candidate)),
    };
    let note = found.note.as_ref().map(|note| secrets.mask(note).into_owned());
    Difference { place, control, candidate, note }
}

fn place(place: &Place, secrets: &Secrets) -> Place {
    match place {
        Place::Json(location) => {
            let mut location = location.clone();
            for step in &mut location.0 {
                if let Step::Key(key) = step
                    && let Some(masked) = masked_text(key, secrets)
                {
                    *key = Text::from(&*masked).into_owned();
                }
            }
            Place::Json(location)
        }
        Place::Downstream { call, part: Some(part) } => {
            Place::Downstream { call: *call, part: Some(Box::new(self::place(part, secrets))) }
        }
        other => other.clone(),
    }
}

fn is_byte(place: &Place) -> bool {
    match place {
        Place::Byte(_) => true,
        Place::Downstream { part: Some(part), .. } => is_byte(part),
        _ => false,
    }
}

fn observation(seen: &Observation, secrets: &Secrets) -> Observation {
    let mut masked = seen.clone();
    if let Seen::Answer(answer) = &mut masked.seen {
        mask_answer(answer, secrets);
    }
    masked.downstream.iter_mut().for_each(|call| mask_call(call, secrets));
    masked
}

fn mask_answer(answer: &mut Answer, secrets: &Secrets) {
    answer.headers.iter_mut().for_each(|(_, value)| mask(value, secrets));
    mask_body(&mut answer.body, secrets);
}

fn mask_call(call: &mut DownstreamCall, secrets: &Secrets) {
    mask(&mut call.target, secrets);
    mask_body(&mut call.body, secrets);
}

/// JSON stays valid: a number that contains a secret becomes a string.
fn mask_body(body: &mut Vec<u8>, secrets: &Secrets) {
    let mut edits = Vec::new();
    if let Ok(json) = json::read(body) {
        edits_of(&json, secrets, &mut edits);
    }
    for (range, masked) in edits.into_iter().rev() {
        body.splice(range, masked.into_bytes());
    }
    if let Some(masked) = secrets.masked_bytes(body) {
        *body = masked;
    }
}

/// The byte ranges to replace and their replacements, in the order of the text.
fn edits_of(json: &Json<'_>, secrets: &Secrets, edits: &mut Vec<(Range<usize>, String)>) {
    let quoted = |masked: String| format!("{:?}", Text::from(&*masked));
    match &json.kind {
        Kind::Null | Kind::Bool(_) => {}
        Kind::Number(digits) => {
            if let Cow::Owned(masked) = secrets.mask(digits) {
                edits.push((json.range.clone(), quoted(masked)));
            }
        }
        Kind::Text(text) => {
            edits.extend(masked_text(text, secrets).map(|masked| (json.range.clone(), quoted(masked))));
        }
        Kind::Array(items) => items.iter().for_each(|item| edits_of(item, secrets, edits)),
        Kind::Object(members) => {
            for member in members {
                let key = masked_text(&member.key, secrets);
                edits.extend(key.map(|masked| (member.key_range.clone(), quoted(masked))));
                edits_of(&member.value, secrets, edits);
            }
        }
    }
}

fn masked_text(text: &Text<'_>, secrets: &Secrets) -> Option<String> {
    match secrets.mask(str::from_utf8(text.as_bytes()).ok()?) {
        Cow::Owned(masked) => Some(masked),
        Cow::Borrowed(_) => None,
    }
}

impl Report {
    /// Masks a report, except for labels and commands, which are the user's own words.
    pub(crate) fn masked(mut self, secrets: &Secrets) -> Report {
        self.parts.iter_mut().for_each(|part| mask_part(part, secrets));
        self.notes.iter_mut().for_each(|note| mask(note, secrets));
        self
    }
}

fn mask_part(part: &mut Part, secrets: &Secrets) {
    part.rows.iter_mut().for_each(|row| mask_row(row, secrets));
    part.left_out.iter_mut().for_each(|(_, why)| mask(why, secrets));
    let NoiseReport { found, example, .. } = &mut part.noise;
    found.unsteady.iter_mut().chain(example).for_each(|text| mask(text, secrets));
    part.mismatches.iter_mut().for_each(|mismatch| mask_mismatch(mismatch, secrets));
}

fn mask_row(row: &mut RowReport, secrets: &Secrets) {
    let skipped = std::mem::take(&mut row.tally.skipped);
    let mut masked: BTreeMap<String, usize> = BTreeMap::new();
    for (why, count) in skipped {
        *masked.entry(secrets.mask(&why).into_owned()).or_default() += count;
    }
    row.tally.skipped = masked;
    row.effects.iter_mut().for_each(|effects| mask(effects, secrets));
    if let Some((what, log)) = &mut row.trouble {
        log.iter_mut().chain([what]).for_each(|text| mask(text, secrets));
    }
}

fn mask_mismatch(mismatch: &mut Mismatch, secrets: &Secrets) {
    let Mismatch { input, origin, detail, diff, counterexample, .. } = mismatch;
    // Its values and texts are masked already.
    if let Some(first) = &mut counterexample.first_difference {
        mask_difference(first, secrets);
    }
    [input, origin, diff].into_iter().for_each(|text| mask(text, secrets));
    match detail {
        Detail::Error(why) => mask(why, secrets),
        Detail::Differences(differences) => {
            differences.list.iter_mut().for_each(|difference| mask_difference(difference, secrets));
        }
    }
}

fn mask_difference(difference: &mut Difference, secrets: &Secrets) {
    let texts = [&mut difference.control, &mut difference.candidate, &mut difference.note];
    texts.into_iter().flatten().for_each(|text| mask(text, secrets));
}

pub(crate) fn mask(text: &mut String, secrets: &Secrets) {
    *text = secrets.mask(text).into_owned();
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use tierup_parity::{Comparator, JsonRules, Policy, compare};
    use tierup_requests::{Context, Moment, Templates};

    use super::*;

    fn secrets() -> Secrets {
        let environment = [("PIN", "48151623"), ("TOKEN", "s3cret-token")];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let text = "POST /\nAuthorization: Bearer {{$processEnv TOKEN}}\n\n{{$processEnv PIN}}\n";
        let templates = Templates::parse("requests.http", text).expect("the requests are sound");
        let now = Moment { unix_milliseconds: 0, utc_offset_minutes: 0 };
        let context = Context { environment: &environment, ..Context::new(now) };
        Secrets::collect(&templates.expand(1, 0, &context).expect("all variables have values").requests)
    }

    fn shown(control: &[u8], candidate: &[u8], bodies: Comparator) -> String {
        let (policy, secrets) = (Policy { bodies, ..Policy::default() }, secrets());
        let answer = |body: &[u8]| {
            Observation::new(Seen::Answer(Answer { status: 200, body: body.to_vec(), ..Answer::default() }))
        };
        let (mine, theirs) = (answer(control), answer(candidate));
        let found = Detail::from_finding(&compare(&mine, &theirs, &policy)).expect("they differ");
        let (mine, theirs) = both(&mine, &theirs, &secrets).expect("there is something to mask");
        match detail(&found, &compare(&mine, &theirs, &policy), &secrets) {
            Detail::Differences(found) => found.list.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
            Detail::Error(why) => why,
        }
    }

    fn check(control: &str, candidate: &str, expected: Expect) {
        let found = shown(control.as_bytes(), candidate.as_bytes(), Comparator::Json(JsonRules::default()));
        expected.assert_eq(&found);
    }

    #[test]
    fn json_with_secrets_is_compared_as_json() {
        check(r#"{"pin": 48151623, "a": 1}"#, r#"{"pin": 48151623, "a": 2}"#, expect!["$.a: 2 instead of 1"]);
        check(
            r#"{"pin": 48151623}"#,
            r#"{"pin": "48151623"}"#,
            expect![[r#"$.pin: "{{$processEnv PIN}}" instead of {{$processEnv PIN}}"#]],
        );
        check(
            r#"{"s3cret-token": 1, "b": "s3cret-token", "c": 1}"#,
            r#"{"s3cret-token": 2, "b": "s\u0033cret-token", "c": 1}"#,
            expect!["$['{{$processEnv TOKEN}}']: 2 instead of 1"],
        );
    }

    #[test]
    fn no_part_of_a_secret_is_shown() {
        let long = "x".repeat(40);
        check(
            &format!(r#"["s3cret-token{long}a"]"#),
            &format!(r#"["s3cret-token{long}b"]"#),
            expect![[
                r#"$[0]: …"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxb" instead of …"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxa""#
            ]],
        );
        let found = shown(b"\xff s3cret-token a", b"\xff s3cret-token b", Comparator::Exact);
        assert_eq!(found, "byte 15: (masked) instead of (masked) (16 bytes instead of 16)");
    }
}
