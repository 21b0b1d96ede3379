//! The report in a terminal. In: a [`Report`]. Out: two tables whose self shares sum to 100 %, and the first candidate.

use tierup_report::{
    Exporter, Text, printable,
    text::{Prose, aligned},
};

use super::{MOST_ROWS, Report, conclusion, doubts};
use crate::{rank::Function, routes::Routes, sensed::Sensed, verdict::LEAST, words};

impl Exporter<Report<'_>> for Text {
    fn export(&self, report: &Report<'_>) -> String {
        let ranking = report.ranking;
        let mut prose = Prose::new(self.0);
        prose.strong(&format!("Profile of {}", report.title));
        prose.faint(&words::basis(ranking));
        prose.faint(&words::intervals(ranking));
        prose.faint(&words::call_cost(ranking));
        if let Some(cost) = report.sensed.and_then(Sensed::cost) {
            prose.faint(&cost);
        }
        if let Some(allocated) = report.sensed.and_then(Sensed::allocated) {
            prose.faint(&allocated);
        }
        prose.gap();
        for doubt in doubts(report) {
            prose.item("!", &doubt);
        }
        prose.gap();
        prose.block(&functions(report));
        prose.gap();
        prose.block(&rest(report));
        prose.gap();
        if let Some(found) = report.routes {
            prose.block(&routes(found));
            prose.faint(&found.about());
            prose.gap();
        }
        for line in conclusion(report) {
            prose.set_off(&line);
        }
        prose.finish()
    }
}

fn functions(report: &Report<'_>) -> String {
    let shown = |function: &&Function| function.owned.value >= LEAST;
    let mut rows: Vec<[String; 8]> = Vec::new();
    let all = &report.ranking.functions;
    for function in all.iter().filter(shown).take(MOST_ROWS) {
        let (name, place) = words::named(&function.frame);
        let (calls, crosses) = words::observed(function);
        rows.push([
            words::cut(&name, 36),
            words::percent(function.itself.value),
            words::percent(function.total.value),
            words::with_interval(function.owned),
            calls,
            crosses.to_owned(),
            words::cut(&place, 32),
            words::prospect(function),
        ]);
    }
    let others = &all[rows.len().min(all.len())..];
    if !others.is_empty() {
        let itself = others.iter().map(|function| function.itself.value).sum();
        let [total, owned, calls, crosses, place, last] = [const { String::new() }; 6];
        let name = format!("{} more", others.len());
        rows.push([name, words::percent(itself), total, owned, calls, crosses, place, last]);
    }
    if report.ranking.was_watched() {
        let head = ["your functions", "self", "total", "owned", "calls a request", "could cross", "", "moved to Rust"];
        return aligned(head, &rows);
    }
    if report.ranking.knows_types() {
        // If the source was read but no call was watched, there is no column for calls.
        let without = |[name, itself, total, owned, _, crosses, place, last]: [String; 8]| {
            [name, itself, total, owned, crosses, place, last]
        };
        let rows: Vec<[String; 7]> = rows.into_iter().map(without).collect();
        return aligned(["your functions", "self", "total", "owned", "could cross", "", "moved to Rust"], &rows);
    }
    let without =
        |[name, itself, total, owned, _, _, place, last]: [String; 8]| [name, itself, total, owned, place, last];
    let rows: Vec<[String; 6]> = rows.into_iter().map(without).collect();
    aligned(["your functions", "self", "total", "owned", "", "moved to Rust"], &rows)
}

fn routes(found: &Routes) -> String {
    let rows: Vec<[String; 4]> = found
        .routes
        .iter()
        .map(|route| {
            let name = words::cut(&printable::line(&route.name), 48);
            [name, words::percent(route.requests), route.microseconds(), words::with_interval(route.share)]
        })
        .collect();
    aligned(["routes", "of requests", "CPU a request", "of the CPU"], &rows)
}

fn rest(report: &Report<'_>) -> String {
    let (shown, small): (Vec<_>, Vec<_>) = report.ranking.rest.iter().partition(|rest| rest.share.value >= LEAST);
    let mut rows: Vec<[String; 2]> = shown
        .iter()
        .map(|rest| [words::cut(&words::whose(&rest.what), 48), words::with_interval(rest.share)])
        .collect();
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
