//! Writes a value for people: keys sorted, an item a line, so that two answers can be laid side by side.

use super::{Json, Kind, Member};

impl Json<'_> {
    /// On several lines, indented by two spaces. Numbers are as they were written, keys in the order of their bytes
    /// (duplicate ones in the order of the text), texts with only the necessary escapes.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(Some(0), &mut out);
        out
    }

    /// The same on one line without spaces.
    pub fn compact(&self) -> String {
        let mut out = String::new();
        self.write(None, &mut out);
        out
    }

    /// `indent`: how deep the line stands; `None` for a single line.
    fn write(&self, indent: Option<usize>, out: &mut String) {
        match &self.kind {
            Kind::Null => out.push_str("null"),
            Kind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Kind::Number(digits) => out.push_str(digits),
            Kind::Text(text) => out.push_str(&format!("{text:?}")),
            Kind::Array(items) => write_all(['[', ']'], items, indent, out, |item, inner, out| item.write(inner, out)),
            Kind::Object(members) => {
                let mut sorted: Vec<&Member<'_>> = members.iter().collect();
                sorted.sort_by(|one, other| one.key.cmp(&other.key));
                write_all(['{', '}'], &sorted, indent, out, |member, inner, out| {
                    out.push_str(&format!("{:?}:", member.key));
                    out.push_str(if inner.is_some() { " " } else { "" });
                    member.value.write(inner, out);
                });
            }
        }
    }
}

fn write_all<T>(
    [open, close]: [char; 2],
    items: &[T],
    indent: Option<usize>,
    out: &mut String,
    write: impl Fn(&T, Option<usize>, &mut String),
) {
    let inner = indent.map(|depth| depth + 1);
    out.push(open);
    for (place, item) in items.iter().enumerate() {
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
