//! The frame of a report: head, style, heading, warnings, script, and a policy that blocks other scripts and all
//! network access. In: texts, and content as markup. Out: the page.

use askama::Template;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::filled;
use crate::chart::Look;

const SCRIPT: &str = include_str!("../../templates/page.js");

/// A page. Rendering escapes its texts, but not `content`.
pub struct Page {
    /// The window's title.
    pub title: String,
    /// The program that made the page; may be empty.
    pub generator: String,
    /// The CSS class of the whole page; may be empty.
    pub class: &'static str,
    /// This page's own CSS, as whole lines.
    pub own_rules: &'static str,
    /// This page's own JavaScript, which runs after the common script.
    pub own_script: &'static str,
    /// The series of the charts, which a [`legend`](super::legend) shows and hides.
    pub looks: Vec<Look>,
    pub heading: String,
    /// The lines below the heading.
    pub about: Vec<About>,
    /// Warnings to read first.
    pub banners: Vec<String>,
    /// The sections, as markup.
    pub content: String,
    pub data: Option<Data>,
}

/// A line below the heading.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum About {
    /// Texts, with dots between them.
    Parts(Vec<String>),
    /// A name and its value.
    Named(String, String),
}

/// Data for the page's script.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Data {
    /// The `id` of the element that holds the data.
    pub id: String,
    /// The data, as written by [`json`](super::json).
    pub json: String,
}

/// The frame around the content of a page.
#[derive(Template)]
#[template(path = "page.html")]
pub(super) struct Frame<'a> {
    pub(super) title: &'a str,
    pub(super) generator: &'a str,
    pub(super) class: &'a str,
    /// The own CSS of all chapters.
    pub(super) rules: String,
    pub(super) heading: &'a str,
    pub(super) about: &'a [About],
    pub(super) banners: &'a [String],
    pub(super) content: &'a str,
    /// The CSS classes of the series.
    pub(super) series: Vec<&'a str>,
    pub(super) data: Vec<&'a Data>,
    /// The own scripts of all chapters, which run after the common script.
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

/// JSON that can end neither the element that holds it nor a line (U+2028, U+2029).
pub fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    let escaped = text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    escaped.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// A content security policy that allows only these scripts, and no network access.
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
    fn texts_are_escaped_and_own_rules_precede_those_for_narrow_screens() {
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
    fn data_cannot_end_its_element() {
        let text = json(&["</script><!--", "\u{2028}\"&"]);
        assert_eq!(text, r#"["\u003c/script\u003e\u003c!--","\u2028\"\u0026"]"#);
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), ["</script><!--", "\u{2028}\"&"]);
    }
}
