//! `cargo xtask atlas [FUNCTION…] [--hosts HOST,…] [--sizes SIZE,…]`: measures functions of `atlas/`, all without a
//! choice, and writes the pages. `--page` only writes the pages.
//!
//! In: the projects in `atlas/`. Out: raw reports in `docs/data/atlas/`, and from all of these `docs/atlas.md` and
//! `docs/atlas-grid.html`. No other command measures them.

mod about;
mod cell;
mod grid;
mod html;
mod markdown;
mod measure;
mod report;
mod view;
mod wanted;

use std::{fs, path::Path};

use self::{grid::Grid, view::View, wanted::Wanted};
use crate::{repository::root, step::Report};

/// The pages, below the repository's root. mdBook writes `atlas.html` for the first.
const PAGE: &str = "docs/atlas.md";
const GRID: &str = "docs/atlas-grid.html";

pub(crate) fn run(report: &mut Report, words: &[&str]) {
    let functions = match about::all(&root()) {
        Ok(functions) => functions,
        Err(error) => return report.check("the functions of the atlas", false, &error),
    };
    let wanted = match Wanted::parse(words, &functions) {
        Ok(wanted) => wanted,
        Err(error) => return report.check("the arguments", false, &error),
    };
    if !wanted.is_page_only {
        measure::run(report, &functions, &wanted);
    }
    let written = pages(&root()).and_then(|pages| {
        let write = |(file, text): &(&str, String)| {
            fs::write(root().join(file), text).map_err(|error| format!("{file}: {error}"))
        };
        pages.iter().try_for_each(write)
    });
    report.check("the pages", written.is_ok(), &written.err().unwrap_or_default());
}

/// The pages, with what was measured so far.
fn pages(repository: &Path) -> Result<[(&'static str, String); 2], String> {
    let grid = Grid::read(repository, about::all(repository)?)?;
    let view = View::new(&grid);
    let page = fs::read_to_string(repository.join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    Ok([(PAGE, markdown::filled(&page, &view)?), (GRID, html::page(&view))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_show_the_reports() {
        for (file, text) in pages(&root()).unwrap_or_else(|error| panic!("{error}")) {
            let committed = fs::read_to_string(root().join(file)).unwrap_or_default();
            assert!(committed == text, "{file} does not show docs/data/atlas: run `cargo xtask atlas --page`");
        }
    }
}
