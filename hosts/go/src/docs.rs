//! Writes documentation as Go comments (<https://go.dev/doc/comment>), laid out as gofmt leaves them.
//!
//! The input is Markdown. Go comments support its paragraphs, headings, bullets and code; everything else becomes code,
//! so that nothing is misread as markup.

use tierup_codegen::source::Source;

/// Adds documentation as a comment; returns whether there is any.
pub(crate) fn comment(source: &mut Source, docs: &str) -> bool {
    let mut blocks = blocks(docs);
    // gofmt would read a list next to code, or two lists of different kinds, as one block, as all are indented.
    for at in 1..blocks.len() {
        if let [Block::List(_), Block::Code(_) | Block::List(_)] | [Block::Code(_), Block::List(_)] =
            &blocks[at - 1..=at]
        {
            blocks[at - 1].become_code();
            blocks[at].become_code();
        }
    }
    for (at, block) in blocks.iter().enumerate() {
        if at > 0 {
            source.add_as_is("//");
        }
        for line in block.lines(at > 0) {
            source.add_as_is(format!("//{line}").trim_end());
        }
    }
    !blocks.is_empty()
}

#[derive(Debug)]
enum Block {
    Text(Vec<String>),
    Heading(String),
    /// Items, each with its mark and lines.
    List(Vec<(String, Vec<String>)>),
    Code(Vec<String>),
}

impl Block {
    /// Parses a paragraph without fences.
    fn parse(paragraph: &[&str]) -> Block {
        let code = || Block::Code(paragraph.iter().map(|line| (*line).to_owned()).collect());
        if let [line] = paragraph
            && let Some(title) = heading(line)
        {
            return Block::Heading(quotes(title));
        }
        if let Some(items) = items(paragraph) {
            return Block::List(items);
        }
        if paragraph.iter().any(|line| is_special(line)) {
            return code();
        }
        Block::Text(paragraph.iter().map(|line| quotes(line.trim())).collect())
    }

    fn become_code(&mut self) {
        if let Block::List(items) = self {
            let lines = items.iter().flat_map(|(mark, item)| {
                item.iter()
                    .enumerate()
                    .map(move |(at, line)| if at == 0 { format!("{mark} {line}") } else { format!("  {line}") })
            });
            *self = Block::Code(lines.collect());
        }
    }

    /// The lines after `//`.
    fn lines(&self, is_inside: bool) -> Vec<String> {
        match self {
            // gofmt reads a single line between paragraphs as a heading, unless it ends like a sentence.
            Block::Text(lines) if is_inside && lines.len() == 1 && !lines[0].ends_with(['.', ':', ';', '!', '?']) => {
                vec![format!(" {}.", lines[0])]
            }
            Block::Text(lines) => lines.iter().map(|line| format!(" {line}")).collect(),
            Block::Heading(title) => vec![format!(" # {title}")],
            Block::List(items) => {
                let lead = |mark: &str, at| match (mark, at) {
                    ("-", 0) => "   - ".to_owned(),
                    (_, 0) => format!(" {mark:>3} "),
                    _ => "     ".to_owned(),
                };
                let lines = items.iter().flat_map(|(mark, item)| {
                    item.iter().enumerate().map(move |(at, line)| format!("{}{line}", lead(mark, at)))
                });
                lines.collect()
            }
            // gofmt reads code that starts like a list as a list.
            Block::Code(lines) if lines.first().is_some_and(|line| mark(line.trim_start()).is_some()) => {
                let fence = || "\t```".to_owned();
                std::iter::once(fence()).chain(lines.iter().map(|line| format!("\t{line}"))).chain([fence()]).collect()
            }
            Block::Code(lines) => lines.iter().map(|line| format!("\t{line}")).collect(),
        }
    }
}

fn blocks(docs: &str) -> Vec<Block> {
    // Go takes carriage returns and other control characters for line ends, or drops them.
    let plain: String =
        docs.chars().map(|c| if (c.is_control() && c != '\n') || c == '\u{feff}' { ' ' } else { c }).collect();
    // `+build` before the package clause would be a build constraint.
    let plain = plain.replace("+build", "+ build");
    let mut blocks = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in plain.lines().map(str::trim_end) {
        let start = line.trim_start();
        let opens = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match fence {
            Some(mark) if start.starts_with(mark) => {
                blocks.extend(code(&paragraph));
                paragraph.clear();
                fence = None;
            }
            Some(_) => paragraph.push(line),
            None if opens.is_some() || start.is_empty() || heading(line).is_some() => {
                flush(&mut blocks, &mut paragraph);
                fence = opens;
                if opens.is_none() && !start.is_empty() {
                    blocks.push(Block::parse(&[line]));
                }
            }
            None => {
                if mark(line).is_some() && paragraph.iter().all(|line| mark(line).is_none()) {
                    flush(&mut blocks, &mut paragraph);
                }
                paragraph.push(line);
            }
        }
    }
    match fence {
        Some(_) => blocks.extend(code(&paragraph)),
        None => flush(&mut blocks, &mut paragraph),
    }
    blocks
}

fn flush(blocks: &mut Vec<Block>, paragraph: &mut Vec<&str>) {
    if paragraph.is_empty() {
        return;
    }
    match (Block::parse(paragraph), blocks.last_mut()) {
        // gofmt reads both lists as one.
        (Block::List(more), Some(Block::List(items))) if (more[0].0 == "-") == (items[0].0 == "-") => {
            items.extend(more)
        }
        (block, _) => blocks.push(block),
    }
    paragraph.clear();
}

/// Code without the empty lines around it; `None` if all lines are empty.
fn code(lines: &[&str]) -> Option<Block> {
    let first = lines.iter().position(|line| !line.is_empty())?;
    let last = lines.iter().rposition(|line| !line.is_empty())?;
    Some(Block::Code(lines[first..=last].iter().map(|line| (*line).to_owned()).collect()))
}

/// The title of a heading.
fn heading(line: &str) -> Option<&str> {
    let title = line.strip_prefix('#')?.trim_start_matches('#');
    (title.starts_with(' ') && !title.trim().is_empty()).then(|| title.trim())
}

/// The items of a paragraph that is a list.
fn items(paragraph: &[&str]) -> Option<Vec<(String, Vec<String>)>> {
    let mut items: Vec<(String, Vec<String>)> = Vec::new();
    for line in paragraph {
        match (mark(line), items.last_mut()) {
            (Some((mark, item)), _) if !is_special(item) => items.push((mark, vec![quotes(item)])),
            (None, Some((_, item))) if !is_special(line.trim()) => item.push(quotes(line.trim())),
            _ => return None,
        }
    }
    (!items.is_empty()).then_some(items)
}

/// The mark that begins an item of a list, as gofmt writes it, and the item's text.
fn mark(line: &str) -> Option<(String, &str)> {
    let (mark, item) = line.split_once(' ')?;
    let item = item.trim();
    let mark = match mark {
        "-" | "*" | "+" | "•" => "-".to_owned(),
        mark => {
            let number = mark.strip_suffix(['.', ')'])?;
            let is_number = (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| format!("{number}."))?
        }
    };
    (!item.is_empty()).then_some((mark, item))
}

/// Whether Go could take the line for something other than text.
fn is_special(line: &str) -> bool {
    let start = line.trim_start();
    let digits = start.trim_start_matches(|c: char| c.is_ascii_digit());
    line.len() >= start.len() + 4
        || mark(start).is_some()
        || start.starts_with(['#', '[', '|', '>', '-', '*', '+', '•'])
        || (digits.len() < start.len() && digits.starts_with(['.', ')']))
}

/// Quotation marks as gofmt writes them.
fn quotes(line: &str) -> String {
    line.replace("``", "“").replace("''", "”")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(docs: &str, expected: Expect) {
        let mut source = Source::new("\t");
        comment(&mut source, docs);
        expected.assert_eq(source.text());
    }

    #[test]
    fn paragraphs_lists_and_code_keep_their_form_in_go() {
        check(
            "One line.\n\nA list:\n- one\n  goes on\n- two\n\n# Errors\nWhere it fails\n```\nlet x = 1;\n```",
            expect![[r#"
                // One line.
                //
                // A list:
                //
                //   - one
                //     goes on
                //   - two
                //
                // # Errors
                //
                // Where it fails.
                //
                //	let x = 1;
            "#]],
        );
        check(
            "- one\n  goes on\n* two\n\n- three",
            expect![[r#"
                //   - one
                //     goes on
                //   - two
                //   - three
            "#]],
        );
        check("  ", expect![""]);
    }

    #[test]
    fn documentation_cannot_end_its_comment() {
        check(
            "*/ and \r\n/*\n\n//go:build ignore\n\n+build x\n\n[a]: b\n1. x\n\n```\nopen",
            expect![[r#"
                //	*/ and
                //	/*
                //
                // //go:build ignore.
                //
                //	```
                //	- build x
                //	```
                //
                //	[a]: b
                //
                //	```
                //	1. x
                //	```
                //
                //	open
            "#]],
        );
    }
}
