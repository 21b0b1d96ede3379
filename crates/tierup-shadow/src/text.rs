//! A report for people. In: a [`Report`]. Out: text in which no request or answer can control a terminal.

use std::fmt::Write as _;

use tierup_parity::{Tally, Verdict};
use tierup_report::{Exporter, Text, numbers::count, printable, text::figures};

use crate::{
    layout::{self, Section},
    report::{Report, RouteReport},
};

impl Exporter<Report> for Text {
    /// Lines are not wrapped.
    fn export(&self, report: &Report) -> String {
        printable::laid_out(&text(report)) + "\n"
    }
}

fn text(report: &Report) -> String {
    // Writing to a string does not fail.
    let asked = count(report.coverage.asked as f64);
    let doubt = report.coverage.doubt().map_or(String::new(), |doubt| doubt + "\n");
    let mut text = format!("{doubt}{}\nof {asked} requests; {}\n", report.line(), layout::span(report));
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
    text + "=> " + &conclusion(report)
}

/// Whether the route has requests in the sample. Others were asked for, but never chosen for a copy.
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

/// The conclusion. If little was compared, it says so first.
pub(crate) fn conclusion(report: &Report) -> String {
    let conclusion = match report.verdict {
        Verdict::Alike => "everything that was compared is alike",
        Verdict::Differs => "the candidate differs",
        Verdict::Failed => "no mismatch, but not everything could be compared",
        Verdict::OnlyErrors | Verdict::NothingCompared => return "nothing was compared".to_owned(),
    };
    let doubt = report.coverage.doubt().map_or(String::new(), |doubt| doubt + "; ");
    doubt + conclusion
}

#[cfg(test)]
mod tests {
    use tierup_report::text::{Colour, Style};
    use tierup_rollout::evidence::{Copies, Entry, Line, Pair, Slot};

    use super::*;
    use crate::summary::Summary;

    #[test]
    fn text_from_clients_cannot_control_a_terminal() {
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
        let doubt = "only 0 of the 2 requests in the sample were compared (0 %)";
        assert!(text.starts_with(doubt), "{text}");
        assert!(text.ends_with(&format!("=> {doubt}; no mismatch, but not everything could be compared\n")), "{text}");
    }

    #[test]
    fn a_report_about_a_small_part_says_so_first() {
        let of = |same, dropped| {
            let dropped = [("too many copies were under way".to_owned(), dropped)].into();
            let slot = Slot {
                copies: vec![Copies { same, dropped, ..Copies::new("GET /", Pair::Candidate) }],
                ..Slot::default()
            };
            let mut summary = Summary::default();
            summary.take(&Line { number: 1, at: 0, entry: Entry::Slot(slot) });
            Report::new(&summary, &[])
        };
        let (half, less) = (of(50, 50), of(49, 51));
        let text = |report: &Report| Text(Style { width: None, colour: Colour::Plain }).export(report);
        assert!(text(&half).ends_with("\n=> everything that was compared is alike\n"), "{}", text(&half));
        let doubt = "only 49 of the 100 requests in the sample were compared (49 %)";
        assert!(text(&less).starts_with(&format!("{doubt}\n")), "{}", text(&less));
        let conclusion = format!("{doubt}; everything that was compared is alike");
        assert!(text(&less).ends_with(&format!("\n=> {conclusion}\n")), "{}", text(&less));
        let first =
            |page: String| page.find("alike").is_some_and(|alike| page.find(doubt).is_some_and(|at| at < alike));
        assert!(first(tierup_report::Markdown.export(&less)) && first(tierup_report::Html.export(&less)));
    }
}
