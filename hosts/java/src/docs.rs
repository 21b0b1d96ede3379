//! Documentation as Javadoc.
//!
//! Converts Markdown to HTML, as far as Javadoc supports it. Characters that could start a tag, the end of the comment
//! or a Unicode escape (which Java reads in comments too) become character references.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use tierup_codegen::source::Source;

use crate::source::LONGEST_LINE;

/// Adds a Javadoc comment, if there is any documentation. `tags` are lines such as `@param x …`, in plain text.
pub(crate) fn comment(source: &mut Source, docs: &str, tags: &[String]) {
    let html = html(docs);
    let mut lines: Vec<&str> = html.lines().map(str::trim_end).collect();
    if !lines.is_empty() && !tags.is_empty() {
        lines.push("");
    }
    lines.extend(tags.iter().map(String::as_str));
    match &lines[..] {
        [] => {}
        [line] if source.column() + line.chars().count() + 7 <= LONGEST_LINE => {
            source.add_as_is(format!("/** {line} */"));
        }
        lines => {
            source.add("/**");
            for line in lines {
                source.add_as_is(format!(" * {line}").trim_end());
            }
            source.add_as_is(" */");
        }
    }
}

/// `@param name docs`.
pub(crate) fn parameter(name: &str, docs: &str) -> String {
    format!("@param {name} {}", html(docs).split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Converts Markdown to HTML with a paragraph for each block.
fn html(docs: &str) -> String {
    let mut text = String::new();
    let mut is_first = true;
    for event in Parser::new(docs) {
        match event {
            Event::Start(tag) => open(&tag, &mut text, &mut is_first),
            Event::End(tag) => close(tag, &mut text),
            Event::Code(words) => text.push_str(&format!("<code>{}</code>", escaped(&words))),
            Event::Text(words) | Event::Html(words) | Event::InlineHtml(words) => text.push_str(&escaped(&words)),
            Event::SoftBreak => text.push('\n'),
            Event::HardBreak => text.push_str("<br>\n"),
            Event::Rule => text.push_str("\n<hr>\n"),
            // These occur only with extensions, which are not enabled.
            Event::FootnoteReference(_) | Event::TaskListMarker(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }
    text.trim().to_owned()
}

fn open(tag: &Tag<'_>, text: &mut String, is_first: &mut bool) {
    match tag {
        Tag::Paragraph | Tag::HtmlBlock => {
            // A Javadoc comment begins with a sentence, not with a `<p>`.
            text.push_str(if *is_first || text.ends_with("<li>") { "" } else { "\n<p>" });
            *is_first = false;
        }
        Tag::Heading { .. } => {
            text.push_str(if *is_first { "<strong>" } else { "\n<p><strong>" });
            *is_first = false;
        }
        Tag::CodeBlock(_) => {
            *is_first = false;
            text.push_str("\n<pre>");
        }
        Tag::List(None) => text.push_str("\n<ul>\n"),
        Tag::List(Some(_)) => text.push_str("\n<ol>\n"),
        Tag::Item => text.push_str("<li>"),
        Tag::BlockQuote(_) => text.push_str("\n<blockquote>\n"),
        Tag::Emphasis => text.push_str("<em>"),
        Tag::Strong => text.push_str("<strong>"),
        // Links point to Rust's documentation, so only their text is kept.
        _ => {}
    }
    if matches!(tag, Tag::List(_) | Tag::BlockQuote(_)) {
        *is_first = false;
    }
}

fn close(tag: TagEnd, text: &mut String) {
    match tag {
        TagEnd::Paragraph | TagEnd::HtmlBlock => text.push('\n'),
        TagEnd::Heading(_) => text.push_str("</strong>\n"),
        TagEnd::CodeBlock => text.push_str("</pre>\n"),
        TagEnd::List(false) => text.push_str("</ul>\n"),
        TagEnd::List(true) => text.push_str("</ol>\n"),
        TagEnd::Item => text.push_str("</li>\n"),
        TagEnd::BlockQuote(_) => text.push_str("</blockquote>\n"),
        TagEnd::Emphasis => text.push_str("</em>"),
        TagEnd::Strong => text.push_str("</strong>"),
        _ => {}
    }
}

fn escaped(words: &str) -> String {
    let mut text = String::new();
    for c in words.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            // These could start a tag, the comment's end or a Unicode escape.
            '@' | '{' | '}' | '*' | '\\' => text.push_str(&format!("&#{};", c as u32)),
            c if c.is_control() && c != '\n' => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(docs: &str, expected: Expect) {
        let mut source = Source::new("    ");
        comment(&mut source, docs, &[]);
        expected.assert_eq(source.text());
    }

    #[test]
    fn one_line_of_markdown_becomes_one_line() {
        check(
            "True or `false`.",
            expect![[r#"
            /** True or <code>false</code>. */
        "#]],
        );
        check("", expect![""]);
    }

    #[test]
    fn markdown_blocks_become_html_blocks() {
        check(
            "First.\n\nSecond\ngoes on.\n\n# Title\n- a\n- b\n\n```\nlet x = \"<a>\";\n\n    y\n```\n\n1. one",
            expect![[r#"
                /**
                 * First.
                 *
                 * <p>Second
                 * goes on.
                 *
                 * <p><strong>Title</strong>
                 *
                 * <ul>
                 * <li>a</li>
                 * <li>b</li>
                 * </ul>
                 *
                 * <pre>let x = "&lt;a&gt;";
                 *
                 *     y
                 * </pre>
                 *
                 * <ol>
                 * <li>one</li>
                 * </ol>
                 */
            "#]],
        );
    }

    #[test]
    fn documentation_cannot_end_the_comment() {
        check(
            "Ends */ and \\u002a/ or {@link x} @param y <script>alert(1)</script> **/ /* http://x",
            expect![[r#"
                /**
                 * Ends &#42;/ and &#92;u002a/ or &#123;&#64;link x&#125; &#64;param y &lt;script&gt;alert(1)&lt;/script&gt; &#42;<em>/ /</em> http://x
                 */
            "#]],
        );
    }
}
