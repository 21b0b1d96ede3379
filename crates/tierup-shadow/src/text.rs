//! A report for people. In: a [`Report`]. Out: text in which no request or answer can steer a terminal.

use std::fmt::Write as _;

use tierup_parity::{Tally, Verdict};
use tierup_report::{Exporter, Text, numbers::count, printable, text::figures};

use crate::{
    layout::{self, Section},
    report::{Report, RouteReport},
};

impl Exporter<Report> for Text {
    /// Lines stay as long as they are.
    fn export(&self, report: &Report) -> String {
        printable::laid_out(&text(report)) + "\n"
    }
}

fn text(report: &Report) -> String {
    // Writing to a text does not fail.
    let asked = count(report.coverage.asked as f64);
    let mut text = format!("{}\nof {asked} requests; {}\n", report.line(), layout::span(report));
    for (why, count) in &report.coverage.dropped {
        let _ = writeln!(text, "not copied: {count}, as {why}");
    }
    for (name, route) in report.routes.iter().filter(|(_, route)| is_in_sample(route)) {
        text += &of_route(name, route);
    }
    for section in layout::sections(report) {
        match section {
            Section::Figures { title, table } => {
                let _ = writeln!(text, "\n{title}\n{}", figures(&table));
            }
            Section::Facts { title, facts } => {
                let _ = writeln!(text, "\n{title}");
                facts.iter().for_each(|(name, value)| {
                    let _ = writeln!(text, "  {name}: {value}");
                });
            }
        }
    }
    text + conclusion(report.verdict)
}

/// Others were asked for, and never chosen to be copied.
fn is_in_sample(route: &RouteReport) -> bool {
    route.tally.compared() + route.tally.error > 0 || !route.dropped.is_empty()
}

fn of_route(name: &str, route: &RouteReport) -> String {
    let Tally { same, mismatch, error, .. } = route.tally;
    let compared = route.tally.compared().max(1) as f64;
    let [control, candidate] = [route.control_seconds, route.candidate_seconds].map(|seconds| seconds / compared * 1e3);
    let mut text = format!(
        "{name}: {same} alike, {mismatch} mismatches, {error} not comparable; on average {control:.2} ms to the control's \
         answer, {candidate:.2} ms to the candidate's\n"
    );
    for (why, count) in &route.not_comparable {
        let _ = writeln!(text, "  {count} times there was nothing to compare: {why}");
    }
    let mut examples: Vec<_> = route.examples.values().collect();
    examples.sort_by_key(|example| example.size);
    for example in examples {
        let _ = writeln!(text, "  {} times, e.g. {}: {}", example.count, example.request, example.difference);
    }
    text
}

pub(crate) fn conclusion(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Alike => "=> everything that was compared is alike",
        Verdict::Differs => "=> the candidate differs",
        Verdict::Failed => "=> no mismatch, but not everything could be compared",
        Verdict::OnlyErrors | Verdict::NothingCompared => "=> nothing was compared",
    }
}

#[cfg(test)]
mod tests {
    use tierup_report::text::{Colour, Style};
    use tierup_rollout::evidence::{Copies, Entry, Line, Pair, Slot};

    use super::*;
    use crate::summary::Summary;

    #[test]
    fn what_a_client_sends_cannot_steer_a_terminal() {
        let copies = Copies {
            not_comparable: [("\u{1b}[2J".to_owned(), 2)].into(),
            ..Copies::new("GET /\u{1b}]0;mine\u{7}", Pair::Candidate)
        };
        let mut summary = Summary::default();
        let slot = Slot { copies: vec![copies], ..Slot::default() };
        summary.take(&Line { number: 1, at: 0, entry: Entry::Slot(slot) });
        let report = Report::new(&summary, &[]);
        let text = Text(Style { width: None, colour: Colour::Plain }).export(&report);
        assert!(
            !text.contains(['\u{1b}', '\u{7}']) && text.contains("GET /\u{fffd}]0;mine\u{fffd}: 0 alike"),
            "{text}"
        );
        assert!(text.ends_with("=> no mismatch, but not everything could be compared\n"));
    }
}
