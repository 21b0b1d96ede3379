//! The page's lists: names with values, and the series of its charts. In: texts. Out: markup.

use askama::Template;

use super::{filled, on_lines};
use crate::{chart::Look, table::Fact};

#[derive(Template)]
#[template(path = "facts.html")]
struct Facts<'a> {
    title: &'a str,
    list: &'a [Fact],
}

#[derive(Template)]
#[template(path = "legend.html")]
struct Legend<'a> {
    title: &'a str,
    looks: &'a [Look],
}

#[derive(Template)]
#[template(path = "listing.html")]
struct Listing<'a> {
    title: &'a str,
    texts: &'a [String],
}

/// Preformatted texts, one per line; empty if there are no texts.
pub fn listing(title: &str, texts: &[String]) -> String {
    if texts.is_empty() { String::new() } else { on_lines(&Listing { title, texts }) }
}

/// Names and values below a heading.
pub fn facts(title: &str, list: &[Fact]) -> String {
    on_lines(&Facts { title, list })
}

/// A checkbox per series, which shows or hides it in all drawings inside elements with the class `lines`.
pub fn legend(title: &str, looks: &[Look]) -> String {
    filled(&Legend { title, looks })
}
