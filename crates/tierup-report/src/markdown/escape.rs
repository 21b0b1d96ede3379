//! Escapes untrusted text for Markdown (GitHub Flavored Markdown 0.29). In: any text. Out: Markdown that shows it.

use crate::printable;

/// Escapes text for a paragraph, a list item or a table cell.
pub fn inline(text: &str) -> String {
    let mut escaped = String::new();
    for (index, character) in printable::line(text).trim().char_indices() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '!' | '$' => {
                escaped.extend(['\\', character]);
            }
            // At the start of a line, these begin a heading or a list.
            '#' | '+' | '-' | '=' if index == 0 => escaped.extend(['\\', character]),
            // GitHub reads `@name` and `#1` as people and issues even if escaped, so an HTML comment splits them.
            '@' | '#' => {
                escaped.push(character);
                escaped += "<!-- -->";
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

/// A label in a code span.
pub fn code(text: &str) -> String {
    let text = printable::line(text);
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// A label in a code span in a table, where a bar ends the cell unless it is escaped.
pub fn code_in_table(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// Lines in a code block.
pub fn fenced(text: &str) -> String {
    block("text", &printable::lines(&[text.to_owned()]))
}

/// Source in a code block, with its tabs and spaces. GitHub knows languages by the endings of their files, too.
pub fn source(language: &str, text: &str) -> String {
    let text = printable::laid_out(&text.replace("\r\n", "\n"));
    block(language, &format!("{}\n", text.trim_end_matches('\n')))
}

/// `lines` ends with a line feed, or is empty.
fn block(language: &str, lines: &str) -> String {
    let ticks = "`".repeat(longest_run(lines).max(2) + 1);
    format!("{ticks}{language}\n{lines}{ticks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_formatted() {
        assert_eq!(inline("a|b_c <img> @user #1\n- x"), "a\\|b\\_c \\<img\\> @<!-- -->user #<!-- -->1 - x");
        assert_eq!(inline("# not a heading"), "\\# not a heading");
        assert_eq!(inline("!(x)[y]"), "\\!(x)\\[y\\]");
        assert_eq!(code("a`b|c"), "``a`b|c``");
        assert_eq!(code_in_table("a`b|c"), "``a`b\\|c``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code(""), "");
        assert_eq!(fenced("a\n```\nb"), "````text\na\n```\nb\n````");
    }
}
