//! Markdown in, HTML out: CommonMark, without extensions.

use pulldown_cmark::{Parser, html};

/// Renders CommonMark as HTML. HTML in the text stays as it is: whoever does not trust the author must sanitise the result.
pub fn render(markdown: &str) -> String {
    // HTML is longer than Markdown; most documents then need no second allocation.
    let mut rendered = String::with_capacity(markdown.len() * 3 / 2);
    html::push_html(&mut rendered, Parser::new(markdown));
    rendered
}
