//! A report without secrets: every text in it that may have come from a request or an answer.

use std::collections::BTreeMap;

use tierup_parity::{Answer, DownstreamCall, Observation, Seen};
use tierup_requests::Secrets;

use super::report::{Detail, Mismatch, NoiseReport, Part, Report, RowReport};

impl Report {
    /// Labels, and the commands that repeat it, are the user's own words: they stay.
    pub(super) fn masked(mut self, secrets: &Secrets) -> Report {
        self.parts.iter_mut().for_each(|part| mask_part(part, secrets));
        self.notes.iter_mut().for_each(|note| mask(note, secrets));
        self
    }
}

/// What two servers were observed to do, for showing it: a part of a secret, or one in hexadecimal, would not be found in
/// what is shown. `None` where there is nothing to mask.
pub(super) fn both(mine: &Observation, theirs: &Observation, secrets: &Secrets) -> Option<(Observation, Observation)> {
    let masked = (observation(mine, secrets), observation(theirs, secrets));
    ((&masked.0, &masked.1) != (mine, theirs)).then_some(masked)
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
    mask_bytes(&mut answer.body, secrets);
}

fn mask_call(call: &mut DownstreamCall, secrets: &Secrets) {
    mask(&mut call.target, secrets);
    mask_bytes(&mut call.body, secrets);
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
    let Mismatch { input, origin, detail, diff, .. } = mismatch;
    [input, origin, diff].into_iter().for_each(|text| mask(text, secrets));
    match detail {
        Detail::Error(why) => mask(why, secrets),
        Detail::Differences(differences) => {
            for difference in &mut differences.list {
                let texts = [&mut difference.control, &mut difference.candidate, &mut difference.note];
                texts.into_iter().flatten().for_each(|text| mask(text, secrets));
            }
        }
    }
}

fn mask(text: &mut String, secrets: &Secrets) {
    *text = secrets.mask(text).into_owned();
}

fn mask_bytes(bytes: &mut Vec<u8>, secrets: &Secrets) {
    if let Some(masked) = secrets.masked_bytes(bytes) {
        *bytes = masked;
    }
}
