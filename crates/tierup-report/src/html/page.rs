//! The page around a report: head, style, heading, warnings, script, and a policy that lets no other scripts run and nothing
//! be fetched. In: texts, and content that is markup already. Out: the page.

use askama::Template;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::filled;
use crate::chart::Look;

const SCRIPT: &str = include_str!("../../templates/page.js");

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
    /// CSS of the kinds of pages in it, before the rules for narrow screens and for paper, which override.
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
        policy(&[&[SCRIPT][..], &self.scripts].concat())
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

/// JSON in which nothing can end the element that holds it, or the line (the Unicode line separators).
pub fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    let escaped = text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    escaped.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// A content security policy under which only these scripts run, and the network is out of reach.
fn policy(scripts: &[&str]) -> String {
    let hash = |script: &&str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes())));
    let hashes: Vec<String> = scripts.iter().filter(|script| !script.is_empty()).map(hash).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
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
        assert!(page.contains("</script>\n<script>let own = 1;\n</script>\n"));
    }

    #[test]
    fn data_stays_within_its_element() {
        let text = json(&["</script><!--", "\u{2028}\"&"]);
        assert_eq!(text, r#"["\u003c/script\u003e\u003c!--","\u2028\"\u0026"]"#);
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), ["</script><!--", "\u{2028}\"&"]);
    }
}
