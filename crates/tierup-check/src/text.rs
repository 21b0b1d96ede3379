//! The report as text. In: a [`Report`]. Out: text without escape codes from requests, answers or logs.

use tierup_parity::Verdict;
use tierup_report::{Exporter, Text, printable, text::aligned};

use crate::report::{Detail, HeaderReport, Mismatch, NoiseReport, Part, Report, Statuses};

/// Maximum number of differences to show per mismatch.
const MOST_DIFFERENCES: usize = 5;
/// Maximum number of diff lines to show.
const MOST_LINES: usize = 16;

impl Exporter<Report> for Text {
    /// Does not wrap tables, inputs and differences.
    fn export(&self, report: &Report) -> String {
        printable::laid_out(&text(report)) + "\n"
    }
}

fn text(report: &Report) -> String {
    let mut out = Vec::new();
    for part in &report.parts {
        out.push(part_text(part));
    }
    out.extend(report.notes.iter().map(|note| format!("note: {note}")));
    out.push(conclusion(report));
    out.join("\n\n")
}

fn part_text(part: &Part) -> String {
    let mut out = format!("{}, compared with {}: {}\n\n", part.what, part.control, inputs(part));
    let rows = part.rows.iter().map(|row| {
        let skipped: usize = row.tally.skipped.values().sum();
        [
            row.label.clone(),
            row.tally.same.to_string(),
            row.tally.mismatch.to_string(),
            row.tally.error.to_string(),
            skipped.to_string(),
            verdict(row.verdict).to_owned(),
        ]
    });
    if !part.statuses.is_empty() {
        out.push_str(&format!("{} answers: {}\n\n", part.control, statuses(part)));
    }
    out.push_str(&aligned(["row", "same", "mismatch", "error", "skipped", ""], &rows.collect::<Vec<_>>()));
    for row in &part.rows {
        for (why, count) in &row.tally.skipped {
            out.push_str(&format!("\n{}: {count} skipped: {why}", row.label));
        }
        row.effects.iter().for_each(|what| out.push_str(&format!("\n{}: {what}", row.label)));
        if let Some((what, log)) = &row.trouble {
            out.push_str(&format!("\n{}: {what}", row.label));
            log.iter().for_each(|line| out.push_str(&format!("\n    | {line}")));
        }
    }
    if !part.headers.is_empty() {
        out.push_str(&format!("\n{}", headers(&part.headers)));
    }
    for (row, why) in &part.left_out {
        out.push_str(&format!("\n{row} was skipped: {why}"));
    }
    if let Some(noise) = noise(&part.noise, &part.control) {
        out.push_str(&format!("\n\n{noise}"));
    }
    for (number, mismatch) in part.mismatches.iter().enumerate() {
        out.push_str(&format!("\n\n{}. {}", number + 1, mismatch_text(mismatch)));
    }
    if part.not_shown > 0 {
        out.push_str(&format!("\n\n{} more are not shown (--show N shows N)", part.not_shown));
    }
    out
}

/// `90 requests (2 from the file, 88 hostile)`.
pub(crate) fn inputs(part: &Part) -> String {
    let total: usize = part.inputs.iter().map(|(_, count)| count).sum();
    let kinds = part.inputs.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| format!("{count} {kind}"));
    let kinds: Vec<String> = kinds.collect();
    let what = if part.what == "servers" { "requests" } else { "inputs" };
    match kinds.is_empty() {
        true => format!("{total} {what}"),
        false => format!("{total} {what} ({})", kinds.join(", ")),
    }
}

pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Alike => "alike",
        Verdict::Differs => "DIFFERS",
        Verdict::Failed => "FAILED",
        Verdict::OnlyErrors => "ONLY ERRORS",
        Verdict::NothingCompared => "NOTHING COMPARED",
    }
}

/// `2xx 2 (from the requests file); 2xx 5, 4xx 83 (hostile)`.
pub fn statuses(part: &Part) -> String {
    let of = |statuses: &Statuses| {
        let classes = statuses.classes.iter().map(|(class, count)| format!("{class} {count}"));
        format!("{} ({})", classes.collect::<Vec<_>>().join(", "), statuses.requests)
    };
    part.statuses.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// The headers on one line.
fn headers(headers: &[HeaderReport]) -> String {
    let each = headers.iter().map(|one| format!("{} ({})", one.header, one.rows.join(", ")));
    let first = headers.first().map_or("", |one| one.header.as_str());
    format!(
        "headers that differ and do not count: {}; [check] of tierup.toml can make them count: headers = [\"{first}\"]",
        each.collect::<Vec<_>>().join(", ")
    )
}

pub(crate) fn noise(noise: &NoiseReport, control: &str) -> Option<String> {
    if noise.inputs == 0 {
        return None;
    }
    let mut out =
        format!("noise: {control} answers differently when asked again, or not at all, for {} inputs", noise.inputs);
    if let Some(example) = &noise.example {
        out.push_str(&format!(", e.g. {example}"));
    }
    let paths: Vec<String> = noise.found.paths.iter().map(ToString::to_string).collect();
    if !paths.is_empty() {
        let quoted: Vec<String> = paths.iter().map(|path| format!("\"{path}\"")).collect();
        out.push_str(&format!(
            "\n  at {}\n  if this does not matter, add to [check] in tierup.toml: ignore = [{}]",
            paths.join(", "),
            quoted.join(", ")
        ));
    }
    if !noise.found.headers.is_empty() {
        let quoted: Vec<String> = noise.found.headers.iter().map(|name| format!("\"{name}\"")).collect();
        out.push_str(&format!(
            "\n  in the headers {}\n  where that does not matter, [check] of tierup.toml can say: ignore_headers = [{}]",
            noise.found.headers.join(", "),
            quoted.join(", ")
        ));
    }
    if noise.found.whole_body {
        out.push_str("\n  in whole bodies: a normalizer in [check] can select what counts");
    }
    for line in noise.found.unsteady.iter().take(3) {
        out.push_str(&format!("\n  {line}: no rule can ignore this"));
    }
    Some(out)
}

pub(crate) fn mismatch_text(mismatch: &Mismatch) -> String {
    let mut lines = vec![format!("{} ({})", mismatch.rows.join(", "), mismatch.origin)];
    if mismatch.alike > 0 {
        lines[0].push_str(&format!(", and {} more like it", mismatch.alike));
    }
    lines.extend(mismatch.input.lines().map(|line| format!("   {line}")));
    match &mismatch.detail {
        Detail::Differences(differences) => {
            let shown = differences.list.iter().take(MOST_DIFFERENCES);
            lines.extend(shown.map(|difference| format!("   {difference}")));
            let more = differences.list.len().saturating_sub(MOST_DIFFERENCES) + differences.left_out;
            if more > 0 {
                lines.push(format!("   and {more} more differences"));
            }
        }
        Detail::Error(why) => lines.push(format!("   {why}")),
    }
    if mismatch.is_noise {
        lines.push("   the control's own answers also differ here: see noise".to_owned());
    }
    let diff: Vec<&str> = mismatch.diff.lines().collect();
    lines.extend(diff.iter().take(MOST_LINES).map(|line| format!("     {line}")));
    if diff.len() > MOST_LINES {
        lines.push(format!("     and {} more lines", diff.len() - MOST_LINES));
    }
    lines.push(format!("   again: {}", mismatch.again));
    lines.join("\n")
}

pub(crate) fn conclusion(report: &Report) -> String {
    let compared: usize = report.rows().map(|row| row.tally.compared()).sum();
    let seconds = report.seconds;
    let of = |verdict| -> Vec<&str> {
        report.rows().filter(|row| row.verdict == verdict).map(|row| row.label.as_str()).collect()
    };
    if !report.compared() {
        return "nothing was compared".to_owned();
    }
    let mut parts = Vec::new();
    for (verdict, words) in [
        (Verdict::Differs, "not alike"),
        (Verdict::Failed, "not compared in full"),
        (Verdict::OnlyErrors, "nothing but errors compared"),
        (Verdict::NothingCompared, "not compared at all"),
    ] {
        let mut rows = of(verdict);
        rows.dedup();
        if !rows.is_empty() {
            parts.push(format!("{words}: {}", rows.join(", ")));
        }
    }
    match parts.is_empty() {
        true => format!("all rows answer alike: {compared} comparisons in {seconds:.0} s, seed {}", report.seed),
        false => {
            format!("{} ({compared} comparisons in {seconds:.0} s, seed {})", parts.join("; "), report.seed)
        }
    }
}
