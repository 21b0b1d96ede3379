//! Builds the documentation's site with mdBook, and tests its search in a browser.

use tierup_codegen::Command;

use crate::{repository::root, step::Report, tools};

/// A word to search for; some pages contain it.
const WORD: &str = "sticky";

pub(crate) fn run(report: &mut Report) {
    if !tools::mdbook(report) || !report.step("mdbook build", &Command::new("mdbook", ["build"])) {
        return;
    }
    println!("the site is target/book/index.html");
    if let Some(browser) = tools::chromium(report) {
        let page = format!("file://{}?search={WORD}", root().join("target/book/index.html").display());
        let options = ["--headless", "--no-sandbox", "--virtual-time-budget=15000", "--dump-dom", &page];
        let mut hits = 0;
        let hit = format!("?highlight={WORD}");
        report.step_reading("the search in Chromium", &Command::new(browser, options), |line| {
            hits += line.matches(&hit).count()
        });
        report.check("the search's hits", hits > 0, &format!("no page was found for `{WORD}`"));
    }
}
