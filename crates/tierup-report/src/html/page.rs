//! The page around a report: head, style, heading, warnings, script. In: texts, and content that is markup already. Out:
//! the page.

use askama::Template;
use serde::{Deserialize, Serialize};

use super::{embed, filled};
use crate::chart::Look;

const STYLE: &str = include_str!("../../templates/page.css");
const SCRIPT: &str = include_str!("../../templates/page.js");
/// Where the style sheet has room for a page's own rules: before those for narrow screens and for paper, which override.
const OWN_RULES: &str = "/* the page's own rules */\n";

/// A page. Its texts are escaped here; `content` is not.
pub struct Page {
    /// The window's title.
    pub title: String,
    /// What made the page; may be empty.
    pub generator: String,
    /// The CSS class of all of it; may be empty.
    pub class: &'static str,
    /// CSS of this kind of page, whole lines.
    pub own_rules: &'static str,
    /// JavaScript of this kind of page, run after that of all pages.
    pub own_script: &'static str,
    /// The series of its charts, which a [`legend`](super::legend) shows and hides.
    pub looks: Vec<Look>,
    pub heading: String,
    /// Below the heading.
    pub about: Vec<About>,
    /// What the reader must know first.
    pub banners: Vec<String>,
    /// Sections, as markup.
    pub content: String,
    pub data: Option<Data>,
}

/// A line below the heading.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum About {
    /// Texts with dots between them.
    Parts(Vec<String>),
    /// A name and what it stands for.
    Named(String, String),
}

/// Data for the page's script.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Data {
    /// The element's.
    pub id: String,
    /// As [`json`](super::json) writes it.
    pub json: String,
}

/// Everything around the content of a page.
#[derive(Template)]
#[template(path = "page.html")]
pub(super) struct Frame<'a> {
    pub(super) title: &'a str,
    pub(super) generator: &'a str,
    pub(super) class: &'a str,
    /// CSS of the kinds of pages in it.
    pub(super) rules: String,
    pub(super) heading: &'a str,
    pub(super) about: &'a [About],
    pub(super) banners: &'a [String],
    pub(super) content: &'a str,
    /// The CSS classes of its series.
    pub(super) series: Vec<&'a str>,
    pub(super) data: Vec<&'a Data>,
    /// JavaScript, run after that of all pages.
    pub(super) scripts: Vec<&'a str>,
}

impl Frame<'_> {
    pub(super) fn render(&self) -> String {
        filled(self)
    }

    fn policy(&self) -> String {
        embed::policy(&[&[SCRIPT][..], &self.scripts].concat())
    }

    fn style(&self) -> String {
        STYLE.replacen(OWN_RULES, &self.rules, 1)
    }

    fn script(&self) -> &'static str {
        SCRIPT
    }
}

impl Page {
    /// The whole page.
    pub fn render(&self) -> String {
        Frame {
            title: &self.title,
            generator: &self.generator,
            class: self.class,
            rules: self.own_rules.to_owned(),
            heading: &self.heading,
            about: &self.about,
            banners: &self.banners,
            content: &self.content,
            series: self.looks.iter().map(|look| look.class.as_str()).collect(),
            data: self.data.iter().collect(),
            scripts: Some(self.own_script).filter(|script| !script.is_empty()).into_iter().collect(),
        }
        .render()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_own_rules_have_their_place() {
        let hostile = "</title><script>&\"".to_owned();
        let page = Page {
            title: hostile.clone(),
            generator: hostile.clone(),
            class: "",
            own_rules: ".own { color: red; }\n",
            own_script: "let own = 1;\n",
            looks: Vec::new(),
            heading: hostile.clone(),
            about: vec![About::Parts(vec![hostile.clone()]), About::Named(hostile.clone(), hostile.clone())],
            banners: vec![hostile.clone()],
            content: "<p>content</p>".to_owned(),
            data: None,
        };
        let page = page.render();
        assert!(!page.contains(&hostile) && page.contains("\n<p>content</p>\n</main>"), "{page}");
        let (own, narrow) = (page.find(".own { color: red; }"), page.find("@media (max-width"));
        assert!(own.is_some() && own < narrow);
        assert!(!page.contains(OWN_RULES.trim()));
        assert!(page.contains("</script>\n<script>let own = 1;\n</script>\n"));
    }
}
