//! A report without secrets: every text in it that may have come from a request or an answer.

use std::collections::BTreeMap;

use tierup_requests::Secrets;

use super::report::{Detail, Mismatch, NoiseReport, Part, Report, RowReport};

impl Report {
    /// Labels, and the commands that repeat it, are the user's own words: they stay.
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

pub(crate) fn mask(text: &mut String, secrets: &Secrets) {
    *text = secrets.mask(text).into_owned();
}
