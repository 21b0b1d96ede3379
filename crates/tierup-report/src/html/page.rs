//! The page around a report: head, style, heading, warnings, script. In: texts, and content that is markup already. Out:
//! the page.

use askama::Template;

use super::{embed, filled};
use crate::chart::Look;

const STYLE: &str = include_str!("../../templates/page.css");
const SCRIPT: &str = include_str!("../../templates/page.js");
/// Where the style sheet has room for a page's own rules: before those for narrow screens and for paper, which override.
const OWN_RULES: &str = "/* the page's own rules */\n";

/// A page. Its texts are escaped here; `content` is not.
pub struct Page<'a> {
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
    pub looks: &'a [Look],
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
pub enum About {
    /// Texts with dots between them.
    Parts(Vec<String>),
    /// A name and what it stands for.
    Named(String, String),
}

/// Data for the page's script.
pub struct Data {
    /// The element's.
    pub id: &'static str,
    /// As [`json`](super::json) writes it.
    pub json: String,
}

#[derive(Template)]
#[template(path = "page.html")]
struct Frame<'a> {
    policy: String,
    style: String,
    script: &'static str,
    page: &'a Page<'a>,
}

impl Page<'_> {
    /// The whole page.
    pub fn render(&self) -> String {
        filled(&Frame {
            policy: embed::policy(&[SCRIPT, self.own_script]),
            style: STYLE.replacen(OWN_RULES, self.own_rules, 1),
            script: SCRIPT,
            page: self,
        })
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
            looks: &[],
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
