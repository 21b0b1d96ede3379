//! Writes a value for people, with sorted keys and one item per line, so that two answers can be compared in a diff.

use super::{Json, Kind, Member};

impl Json<'_> {
    /// The value on several lines, indented by two spaces. Numbers stay as written, keys are sorted by their bytes
    /// (duplicate ones stay in the order of the text), and texts have only the necessary escapes.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(Some(0), usize::MAX, &mut out);
        out
    }

    /// The value as in [`pretty`](Self::pretty), but on one line without spaces.
    pub fn compact(&self) -> String {
        self.brief(usize::MAX)
    }

    /// The first `least` bytes of the compact form, or more, up to the end of the value that they cut.
    pub(crate) fn brief(&self, least: usize) -> String {
        let mut out = String::new();
        self.write(None, least, &mut out);
        out
    }

    /// `indent` is the depth of the line, or `None` to write a single line. Nothing is added once `out` has `least`
    /// bytes.
    fn write(&self, indent: Option<usize>, least: usize, out: &mut String) {
        if out.len() >= least {
            return;
        }
        match &self.kind {
            Kind::Null => out.push_str("null"),
            Kind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Kind::Number(digits) => out.push_str(&digits[..digits.len().min(least)]),
            Kind::Text(text) => out.push_str(&format!("{:?}", text.start(least))),
            Kind::Array(items) => {
                write_all(['[', ']'], items, (indent, least), out, |item, inner, out| item.write(inner, least, out));
            }
            Kind::Object(members) => {
                let mut sorted: Vec<&Member<'_>> = members.iter().collect();
                sorted.sort_by(|one, other| one.key.cmp(&other.key));
                write_all(['{', '}'], &sorted, (indent, least), out, |member, inner, out| {
                    out.push_str(&format!("{:?}:", member.key.start(least)));
                    out.push_str(if inner.is_some() { " " } else { "" });
                    member.value.write(inner, least, out);
                });
            }
        }
    }
}

fn write_all<T>(
    [open, close]: [char; 2],
    items: &[T],
    (indent, least): (Option<usize>, usize),
    out: &mut String,
    write: impl Fn(&T, Option<usize>, &mut String),
) {
    let inner = indent.map(|depth| depth + 1);
    out.push(open);
    for (place, item) in items.iter().enumerate() {
        if out.len() >= least {
            return;
        }
        out.push_str(if place > 0 { "," } else { "" });
        new_line(inner, out);
        write(item, inner, out);
    }
    if !items.is_empty() {
        new_line(indent, out);
    }
    out.push(close);
}

fn new_line(indent: Option<usize>, out: &mut String) {
    if let Some(depth) = indent {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    }
}
