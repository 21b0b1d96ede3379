//! `docs/atlas-grid.html`: the same tables to sort, in one file that needs no network. In: a [`View`]. Out: the page.

use askama::Template;
use tierup_report::html::{About, Page, filled};

use super::view::View;

/// The tables and explanations.
#[derive(Template)]
#[template(path = "atlas.html")]
struct Content<'a> {
    view: &'a View,
}

pub(super) fn page(view: &View) -> String {
    Page {
        title: "The atlas of tierup".to_owned(),
        generator: String::new(),
        class: "atlas",
        own_rules: include_str!("../../templates/atlas.css"),
        own_script: "",
        looks: Vec::new(),
        heading: "Where does Rust pay?".to_owned(),
        about: view.machines.iter().map(|machine| About::Named("measured on".to_owned(), machine.clone())).collect(),
        banners: Vec::new(),
        content: filled(&Content { view }),
        data: None,
    }
    .render()
}
