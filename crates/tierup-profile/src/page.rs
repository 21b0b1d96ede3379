//! The page of a profile: ranking, flame graph, and a table of all functions beside it. In: a [`FlamePage`]. Out: one HTML
//! file that needs no network. Names in a profile are not trusted: templates and scripts write them only as text.

use askama::Template;
use tierup_report::{
    Exporter, Html,
    html::{self, About, Data, Figures, Head, Page, Table, TableRow},
    numbers, printable,
};

use crate::{
    compare::Comparison,
    flame::{self, Flame, KINDS, Wholes},
    profile::Profile,
    rank::{Function, What},
    report::{self, Report},
    routes::{RouteCost, Routes},
    sensed::Sensed,
    words,
};

const OWN_RULES: &str = include_str!("../templates/flame.css");
const OWN_SCRIPT: &str = include_str!("../templates/flame.js");
/// The most rows of a table. The table of the user's functions sums up the rest in a last row.
const MOST_ROWS: usize = 50;

/// A profile as a page.
#[derive(Debug, Clone, Copy)]
pub struct FlamePage<'a> {
    pub report: Report<'a>,
    pub profile: &'a Profile,
    /// The earlier profile to compare with.
    pub comparison: Option<Comparison<'a>>,
    /// The version of the program that writes the page.
    pub tierup: &'a str,
}

#[derive(Template)]
#[template(path = "flame.html")]
struct Content {
    conclusion: Vec<String>,
    functions: String,
    rest: String,
    routes: Option<String>,
    about_routes: Option<String>,
    basis: String,
    intervals: String,
    call_cost: String,
    cost: Option<String>,
    allocated: Option<String>,
    least: String,
    before: Option<String>,
    kinds: Vec<String>,
    table: String,
}

impl Exporter<FlamePage<'_>> for Html {
    fn export(&self, page: &FlamePage<'_>) -> String {
        page.page().render()
    }
}

impl FlamePage<'_> {
    /// The verdict.
    pub fn conclusions(&self) -> Vec<String> {
        report::conclusion(&self.report)
    }

    /// The whole page, which can also be a chapter of another one.
    pub fn page(&self) -> Page {
        let page = self;
        let report = &page.report;
        let ranking = report.ranking;
        let both = flame::both(page.profile, page.comparison.map(|comparison| comparison.before));
        let wholes = match page.comparison {
            None => Wholes::ranked(ranking.whole),
            Some(_) => Wholes::sampled(&both),
        };
        let graph = Flame::new(&both, page.comparison.is_some(), wholes);
        let title = printable::line(report.title);
        let before = page.comparison.map(|comparison| printable::line(comparison.before_title));
        let content = Content {
            conclusion: self.conclusions(),
            functions: functions(report).markup(),
            rest: rest(report).markup(),
            routes: report.routes.map(|routes| by_route(routes).markup()),
            about_routes: report.routes.map(Routes::about),
            basis: words::basis(ranking),
            intervals: words::intervals(ranking),
            call_cost: words::call_cost(ranking),
            cost: report.sensed.and_then(Sensed::cost),
            allocated: report.sensed.and_then(Sensed::allocated),
            least: format!("{} %", numbers::plain(graph.least * 100.0)),
            table: table(&both, before.as_deref(), wholes).markup(),
            before,
            kinds: KINDS.iter().map(|kind| words::whose(&What::Kind(*kind))).collect(),
        };
        let mut about = vec![format!("tierup {}", page.tierup)];
        about.extend(ranking.host.as_deref().map(printable::line));
        Page {
            title: format!("{title}: hot functions"),
            generator: format!("tierup {}", page.tierup),
            class: "",
            own_rules: OWN_RULES,
            own_script: OWN_SCRIPT,
            looks: Vec::new(),
            heading: title,
            about: vec![About::Parts(about)],
            banners: report::doubts(report),
            content: html::filled(&content),
            data: Some(Data { id: "flame-data".to_owned(), json: html::json(&graph) }),
        }
    }
}

/// The user's own functions.
fn functions(report: &Report<'_>) -> Table {
    let all = &report.ranking.functions;
    let (watched, typed) = (report.ranking.was_watched(), report.ranking.knows_types());
    let row = |function: &Function| {
        let cell = |share: crate::Share| figure(words::percent(share.value), share.value, interval(share));
        let mut cells = vec![cell(function.itself), cell(function.total), cell(function.owned)];
        let prospect = words::prospect(function);
        let (calls, crosses) = words::observed(function);
        let number = function.observed.as_ref().and_then(|observed| observed.calls).unwrap_or(0.0);
        if watched {
            cells.push(figure(calls, number, String::new()));
        }
        if typed {
            cells.push(figure(crosses.to_owned(), number, String::new()));
        }
        let sorted_by = if function.hindrance.is_none() { function.owned.value } else { 0.0 };
        cells.push(figure(prospect, sorted_by, String::new()));
        labelled(words::named(&function.frame), cells)
    };
    let mut rows: Vec<TableRow> = all.iter().take(MOST_ROWS).map(row).collect();
    if all.len() > MOST_ROWS {
        let itself: f64 = all[MOST_ROWS..].iter().map(|function| function.itself.value).sum();
        let name = format!("{} more", all.len() - MOST_ROWS);
        let none = || Figures::default();
        let mut cells = vec![figure(words::percent(itself), itself, String::new()), none(), none(), none()];
        cells.extend([watched, typed].into_iter().filter(|is_there| *is_there).map(|_| none()));
        rows.push(labelled((name, String::new()), cells));
    }
    let mut heads = vec![("self", ""), ("total", ""), ("owned", "with its packages")];
    if watched {
        heads.push(("calls", "a request"));
    }
    if typed {
        heads.push(("could cross", ""));
    }
    heads.push(("moved to Rust", ""));
    Table { caption: "Your functions".to_owned(), heads: heads.into_iter().map(head).collect(), rows }
}

/// Everything else.
fn rest(report: &Report<'_>) -> Table {
    let rows = report.ranking.rest.iter().take(MOST_ROWS).map(|rest| {
        let share = figure(words::percent(rest.share.value), rest.share.value, interval(rest.share));
        labelled((words::whose(&rest.what), String::new()), vec![share])
    });
    Table { caption: "Everything else".to_owned(), heads: vec![head(("self", ""))], rows: rows.collect() }
}

/// The cost of each route.
fn by_route(routes: &Routes) -> Table {
    let row = |route: &RouteCost| {
        let cells = vec![
            figure(words::percent(route.requests), route.requests, String::new()),
            figure(route.microseconds(), route.cpu.value, String::new()),
            figure(words::percent(route.share.value), route.share.value, interval(route.share)),
        ];
        labelled((printable::line(&route.name), String::new()), cells)
    };
    let heads = [("requests", ""), ("CPU", "a request"), ("of the CPU", "")];
    Table {
        caption: "Routes".to_owned(),
        heads: heads.into_iter().map(head).collect(),
        rows: routes.routes.iter().map(row).collect(),
    }
}

/// All functions, of any owner, for the graph.
fn table(both: &Profile, before: Option<&str>, wholes: Wholes) -> Table {
    let mut heads = vec![("self", ""), ("total", "")];
    if before.is_some() {
        heads.extend([("self", "before"), ("total", "before"), ("change", "of total, points")]);
    }
    let rows = flame::functions(both, wholes).into_iter().map(|(id, totals)| {
        let share = |value: f64| figure(words::percent(value), value, String::new());
        let mut cells = vec![share(totals.itself.0), share(totals.total.0)];
        if before.is_some() {
            let change = totals.total.0 - totals.total.1;
            cells.extend([share(totals.itself.1), share(totals.total.1)]);
            cells.push(figure(format!("{:+.1}", change * 100.0), change, String::new()));
        }
        labelled(words::named(both.frame_of(id)), cells)
    });
    Table { caption: "All functions".to_owned(), heads: heads.into_iter().map(head).collect(), rows: rows.collect() }
}

fn head((title, unit): (&str, &str)) -> Head {
    Head { title: title.to_owned(), unit: unit.to_owned(), from: String::new(), first: "descending" }
}

fn labelled((name, place): (String, String), cells: Vec<Figures>) -> TableRow {
    TableRow { label: name, style: String::new(), tag: "", class: "", marks: place, cells }
}

fn figure(text: String, value: f64, title: String) -> Figures {
    Figures { value: value.to_string(), absolute: text, title, ..Figures::default() }
}

/// `95 %: [89, 93] %`, the tooltip of a figure.
fn interval(share: crate::Share) -> String {
    let ends = share.interval.map(|(low, high)| format!("95 %: [{:.1}, {:.1}] %", low * 100.0, high * 100.0));
    ends.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reading, profile::Unit, rank};

    #[test]
    fn all_shares_of_a_page_have_the_same_base() {
        let mut profile = crate::read(b"main;hot 3\nmain 1\n", &Reading::default()).unwrap();
        profile.unit = Unit::Seconds;
        profile.set_cpu(0, 8.0);
        let ranking = rank(&profile);
        let report = Report { title: "shop", ranking: &ranking, next: None, sensed: None, routes: None };
        let page = |comparison| Html.export(&FlamePage { report, profile: &profile, comparison, tierup: "test" });
        let whole = page(None);
        // The tables have self and total of both functions, and the graph has the totals of its boxes.
        assert_eq!((whole.matches(">37.5 %<").count(), whole.matches(">50.0 %<").count()), (5, 4), "{whole}");
        assert!(whole.contains("0.375") && !whole.contains("75.0 %"));
        let before = Comparison { title: "shop", profile: &profile, before_title: "before", before: &profile };
        let compared = page(Some(before));
        assert!(compared.contains("75.0 %") && compared.contains("are of that, in each profile"));
    }
}
