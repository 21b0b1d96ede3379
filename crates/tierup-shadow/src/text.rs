//! A report for people. In: a [`Report`]. Out: text in which no request or answer can steer a terminal.

use std::fmt::Write as _;

use tierup_parity::{Tally, Verdict};
use tierup_report::{Exporter, Text, printable};

use crate::report::{Coverage, Report};

impl Exporter<Report> for Text {
    /// Lines stay as long as they are.
    fn export(&self, report: &Report) -> String {
        printable::laid_out(&text(report)) + "\n"
    }
}

fn text(report: &Report) -> String {
    // Writing to a text does not fail.
    let Coverage { busy, too_large, incomplete, stream, .. } = report.coverage;
    let mut text = format!("{}\n", report.line());
    for (count, why) in [
        (busy, "too many copies were under way"),
        (too_large, "a body is too large"),
        (incomplete, "the client or the control broke off"),
        (stream, "the answer has no end, or took too long"),
    ] {
        if count > 0 {
            let _ = writeln!(text, "not copied: {count}, as {why}");
        }
    }
    for (route, evidence) in &report.routes {
        let Tally { same, mismatch, error, .. } = evidence.tally;
        let compared = evidence.tally.compared().max(1) as f64;
        let [control, candidate] =
            [evidence.control_seconds, evidence.candidate_seconds].map(|seconds| seconds / compared * 1e3);
        let _ = writeln!(
            text,
            "{route}: {same} alike, {mismatch} mismatches, {error} not comparable; on average {control:.2} ms to the \
             control's answer, {candidate:.2} ms to the candidate's"
        );
        for (why, count) in &evidence.silences {
            let _ = writeln!(text, "  the candidate did not answer {count} times: {why}");
        }
        let mut examples: Vec<_> = evidence.examples.values().collect();
        examples.sort_by_key(|example| example.size);
        for example in examples {
            let _ = writeln!(text, "  {} times, e.g. {}: {}", example.count, example.request, example.difference);
        }
    }
    text + match report.verdict {
        Verdict::Alike => "=> everything that was compared is alike",
        Verdict::Differs => "=> the candidate differs",
        Verdict::Failed => "=> no mismatch, but not everything could be compared",
        Verdict::OnlyErrors | Verdict::NothingCompared => "=> nothing was compared",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tierup_report::text::{Colour, Style};

    use super::*;
    use crate::mirror::RouteEvidence;

    #[test]
    fn what_a_client_sends_cannot_steer_a_terminal() {
        let evidence =
            RouteEvidence { silences: BTreeMap::from([("\u{1b}[2J".to_owned(), 2)]), ..RouteEvidence::default() };
        let routes = BTreeMap::from([("GET /\u{1b}]0;mine\u{7}".to_owned(), evidence)]);
        let coverage = Coverage { sampled: 2, copied: 2, compared: 0, busy: 0, too_large: 0, incomplete: 0, stream: 0 };
        let report = Report { coverage, verdict: Verdict::NothingCompared, routes };
        let text = Text(Style { width: None, colour: Colour::Plain }).export(&report);
        assert!(
            !text.contains(['\u{1b}', '\u{7}']) && text.contains("GET /\u{fffd}]0;mine\u{fffd}: 0 alike"),
            "{text}"
        );
        assert!(text.ends_with("=> nothing was compared\n"));
    }
}
