//! The documentation as a site with a search, by mdBook.

use tierup_codegen::Command;

use crate::{step::Report, tools};

pub(crate) fn run(report: &mut Report) {
    if tools::mdbook(report) && report.step("mdbook build", &Command::new("mdbook", ["build"])) {
        println!("the site is target/book/index.html");
    }
}
