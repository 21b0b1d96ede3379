//! The report in a terminal. In: a [`Report`]. Out: two tables whose self shares sum to 100 %, and the first candidate.

use tierup_report::{
    Exporter, Text,
    text::{Prose, aligned},
};

use super::{LEAST, MOST_ROWS, Report};
use crate::{bound::Bound, rank::Function, words};

impl Exporter<Report<'_>> for Text {
    fn export(&self, report: &Report<'_>) -> String {
        let ranking = report.ranking;
        let mut prose = Prose::new(self.0);
        prose.strong(&format!("Profile of {}", report.title));
        prose.faint(&words::basis(ranking));
        prose.faint(&words::intervals(ranking));
        prose.gap();
        for doubt in words::doubts(ranking) {
            prose.item("!", &doubt);
        }
        prose.gap();
        prose.block(&functions(report));
        prose.gap();
        prose.block(&rest(report));
        prose.gap();
        for line in conclusion(report) {
            prose.set_off(&line);
        }
        prose.finish()
    }
}

fn functions(report: &Report<'_>) -> String {
    let shown = |function: &&Function| function.owned.value >= LEAST;
    let mut rows: Vec<[String; 6]> = Vec::new();
    let all = &report.ranking.functions;
    for function in all.iter().filter(shown).take(MOST_ROWS) {
        let (name, place) = words::named(&function.frame);
        rows.push([
            cut(&name, 36),
            words::percent(function.itself.value),
            words::percent(function.total.value),
            words::with_interval(function.owned),
            cut(&place, 32),
            words::prospect(function, report.rewrite),
        ]);
    }
    let others = &all[rows.len().min(all.len())..];
    if !others.is_empty() {
        let itself = others.iter().map(|function| function.itself.value).sum();
        let [none, gap, empty, last] = [const { String::new() }; 4];
        rows.push([format!("{} more", others.len()), words::percent(itself), none, gap, empty, last]);
    }
    aligned(["your functions", "self", "total", "owned", "", "moved to Rust"], &rows)
}

fn rest(report: &Report<'_>) -> String {
    let (shown, small): (Vec<_>, Vec<_>) = report.ranking.rest.iter().partition(|rest| rest.share.value >= LEAST);
    let mut rows: Vec<[String; 2]> =
        shown.iter().map(|rest| [cut(&words::whose(&rest.what), 48), words::with_interval(rest.share)]).collect();
    if !small.is_empty() {
        let share = small.iter().map(|rest| rest.share.value).sum();
        rows.push([format!("{} more", small.len()), words::percent(share)]);
    }
    let own: f64 = report.ranking.functions.iter().map(|function| function.itself.value).sum();
    let others: f64 = report.ranking.rest.iter().map(|rest| rest.share.value).sum();
    rows.push(["your functions (above)".to_owned(), words::percent(own)]);
    rows.push(["sum".to_owned(), words::percent(own + others)]);
    aligned(["everything else", "self"], &rows)
}

fn conclusion(report: &Report<'_>) -> Vec<String> {
    let Some(first) = report.ranking.candidates().next().filter(|function| function.owned.value >= LEAST) else {
        return vec!["No function of yours could move to Rust as it is.".to_owned()];
    };
    let (name, _) = words::named(&first.frame);
    let mut text = format!("{name} is the first candidate: {}.", Bound::of(first.owned, report.rewrite).text());
    if !first.packages.is_empty() {
        let names: Vec<String> = first.packages.iter().map(|name| tierup_report::printable::line(name)).collect();
        text += &format!(" Owned share: with {}, which only it reaches.", names.join(", "));
    }
    vec![text, "A profile cannot tell what a rewrite buys: measure it with `tierup ceiling`.".to_owned()]
}

/// At most as many characters, the start of a longer text left out: its end says more.
fn cut(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let end: String = text.chars().skip(length - most + 1).collect();
    format!("…{end}")
}
