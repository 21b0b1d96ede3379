//! Writes source text in any language: indented lines, the imports that they need, and filled templates.
//!
//! In: pieces of text in that language, but indented by four spaces as Rust is, so that a piece can be a raw string
//! within the Rust code that fills it. Out: the same lines, indented as is usual in the language.

/// A file, or a part of one, while it is being written.
#[derive(Debug, Clone)]
pub struct Source {
    /// One step of indentation in this language.
    step: &'static str,
    depth: usize,
    text: String,
}

impl Source {
    /// An empty text with Rust's indentation: a piece to pass to [`Source::add`] of another text.
    pub fn piece() -> Self {
        Source::new("    ")
    }

    /// An empty text. `step` is one step of indentation: a tab, two spaces, four.
    pub fn new(step: &'static str) -> Self {
        Source { step, depth: 0, text: String::new() }
    }

    /// Adds lines at the current indentation. The first line's own indentation is removed from all lines; each four
    /// further spaces become one more step. A line break before the first line and whitespace after the last one are
    /// ignored, so that a raw string may begin and end on lines of its own.
    ///
    /// ```
    /// # use tierup_codegen::source::Source;
    /// let mut source = Source::new("\t");
    /// source.add("
    ///     func answer() int {
    ///         return 42
    ///     }
    /// ");
    /// assert_eq!(source.text(), "func answer() int {\n\treturn 42\n}\n");
    /// ```
    pub fn add(&mut self, text: impl AsRef<str>) -> &mut Self {
        let text = text.as_ref();
        let text = text.strip_prefix('\n').unwrap_or(text).trim_end_matches([' ', '\n']);
        let first = text.lines().find(|line| !line.is_empty()).map_or(0, |line| spaces(line, usize::MAX));
        for line in text.lines() {
            let line = &line[spaces(line, first)..];
            let further = spaces(line, usize::MAX);
            self.line(further / 4, &line[further / 4 * 4..]);
        }
        self
    }

    /// Adds lines at the current indentation, otherwise unchanged: documentation, a file's text.
    pub fn add_as_is(&mut self, text: impl AsRef<str>) -> &mut Self {
        for line in text.as_ref().lines() {
            self.line(0, line);
        }
        self
    }

    /// Adds the lines that `write` adds, indented by one more step.
    pub fn inside(&mut self, write: impl FnOnce(&mut Source)) -> &mut Self {
        self.depth += 1;
        write(self);
        self.depth -= 1;
        self
    }

    /// [`Source::add`], indented by one more step.
    pub fn add_inside(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.inside(|source| {
            source.add(text);
        })
    }

    /// Adds empty lines.
    pub fn gap(&mut self, lines: usize) -> &mut Self {
        self.text.extend(std::iter::repeat_n('\n', lines));
        self
    }

    /// How many columns the next line is indented by, for languages with a maximum line length.
    pub fn column(&self) -> usize {
        self.depth * self.step.chars().count()
    }

    /// Everything so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn into_text(self) -> String {
        self.text
    }

    /// The names that the text [mentions], for its imports.
    pub fn mentioned<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
        names.into_iter().filter(|name| mentions(&self.text, name)).collect()
    }

    fn line(&mut self, further: usize, line: &str) {
        if !line.is_empty() {
            (0..self.depth + further).for_each(|_| self.text.push_str(self.step));
        }
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// How many spaces a line begins with, at most `most`.
fn spaces(line: &str, most: usize) -> usize {
    line.bytes().take(most).take_while(|byte| *byte == b' ').count()
}

/// Whether a text contains a name on its own: not as a part of a longer name, after a dot, or as the whole of a
/// literal. The name may include the character that follows it: `fmt.` or `text(`.
pub fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '"');
    let is_whole = !name.ends_with(is_part);
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(|c: char| is_part(c) || c == '.') && (is_whole || !after.starts_with(is_part))
    })
}

/// A template with a value in the place of each `{{name}}`, whose name has small letters and `_` only: other braces are
/// the template's own. Values are put in as they are, in one pass, so that the order of the names does not matter and a
/// value may contain braces.
///
/// ```
/// # use tierup_codegen::source::fill;
/// assert_eq!(fill("{{a}}_{{b}}", &[("b", "1"), ("a", "{{b}}")]), "{{b}}_1");
/// ```
///
/// # Panics
/// If the template has a name without a value, or a value is not used: both are mistakes of the generator.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let unused = values.iter().find(|(name, _)| !template.contains(&format!("{{{{{name}}}}}")));
    assert!(unused.is_none(), "the template has no place for `{}`", unused.map_or("", |(name, _)| name));
    fill_shared(template, values)
}

/// [`fill`] for one of several templates that share their values: it need not use all of them.
///
/// # Panics
/// If the template has a name without a value.
pub fn fill_shared(template: &str, values: &[(&str, &str)]) -> String {
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let mut text = String::new();
    for part in template.split_inclusive("}}") {
        let place = part.strip_suffix("}}").and_then(|part| part.rsplit_once("{{")).filter(|(_, name)| is_name(name));
        let Some((before, name)) = place else {
            text.push_str(part);
            continue;
        };
        let value = values.iter().find(|(known, _)| *known == name);
        let Some((_, value)) = value else { panic!("the template has a name without a value: `{{{{{name}}}}}`") };
        text.extend([before, value]);
    }
    text
}

/// A text with another passage in the place of one that it has.
///
/// # Panics
/// If the text does not have the passage: a mistake of the generator.
pub fn swap(text: &str, passage: &str, by: &str) -> String {
    let Some((before, after)) = text.split_once(passage) else { panic!("the text has no `{passage}`: {text}") };
    format!("{before}{by}{after}")
}

/// A file of a package that others install. They cannot build, so it does not tell them to run `tierup build`.
///
/// ```
/// # use tierup_codegen::source::published;
/// let text = published(r#""it is missing: run `tierup build --tiers " + name + "`""#);
/// assert_eq!(text, r#""it is missing: install the package again, or ask its maker for another one""#);
/// ```
pub fn published(text: &str) -> String {
    let mut parts = text.split("run `tierup build");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let rest = part.split_once('`').map_or("", |(_, rest)| rest);
        all + "install the package again, or ask its maker for another one" + rest
    })
}

/// A file of the package that is committed: its head says which command writes it again.
///
/// # Panics
/// If the head says neither that nor that the file is the same in every package: a mistake of the generator.
pub fn committed(text: &str) -> String {
    let is_in_head = |passage| text.lines().take(4).any(|line| line.contains(passage));
    if is_in_head("Made by tierup; the same in every package.") {
        return text.to_owned();
    }
    assert!(is_in_head("at the next build."), "the head does not say when the file is written: {text}");
    swap(text, "at the next build.", "at the next `tierup stub`.")
}

/// Documentation as paragraphs of a Markdown text, with the empty line after them; empty without documentation.
pub fn paragraphs(docs: &str) -> String {
    let docs = docs.trim_end();
    if docs.is_empty() { String::new() } else { format!("{docs}\n\n") }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(step: &'static str, write: impl FnOnce(&mut Source), expected: Expect) {
        let mut source = Source::new(step);
        write(&mut source);
        expected.assert_eq(source.text());
    }

    #[test]
    fn pieces_are_indented_as_the_language_is() {
        let write = |source: &mut Source| {
            source.add(
                "
                first {
                    second

                     a space more
                ",
            );
            source.inside(|source| {
                source.add("third {\n    fourth\n}").gap(1);
            });
            source.add("}");
        };
        check("> ", write, expect!["first {\n> second\n\n>  a space more\n> third {\n> > fourth\n> }\n\n}\n"]);
    }

    #[test]
    fn documentation_keeps_its_own_indentation() {
        let mut source = Source::new("\t");
        source.inside(|source| {
            source.add_as_is("   - one\n        two");
        });
        assert_eq!(source.text(), "\t   - one\n\t        two\n");
    }

    #[test]
    fn only_names_by_themselves_are_mentioned() {
        let mut source = Source::new("  ");
        source.add("Optional<Byte> x; Lists y; a.Map z; \"Set\"; fmt.Sprint(\"os.\"); bytes.text(1); object(2);");
        let names = ["Optional", "Byte", "List", "Map", "Set", "fmt.", "os.", "text(", "object("];
        assert_eq!(source.mentioned(names), ["Optional", "Byte", "fmt.", "object("]);
    }

    #[test]
    fn only_the_head_of_a_committed_file_is_another() {
        let file = |head| format!("\n// Made by tierup; {head}\n\n// Lost at the next build.\n");
        let changed = committed(&file("lost at the next build."));
        assert_eq!(changed, file("lost at the next `tierup stub`."));
        let fixed = file("the same in every package.");
        assert_eq!(committed(&fixed), fixed);
    }

    #[test]
    #[should_panic(expected = "the head does not say when the file is written")]
    fn a_committed_file_without_a_head_is_refused() {
        committed("one\ntwo\nthree\nfour\n// lost at the next build.\n");
    }

    #[test]
    #[should_panic(expected = "the text has no `one`")]
    fn a_passage_that_is_not_there_is_refused() {
        swap("two", "one", "three");
    }

    #[test]
    #[should_panic(expected = "no place for `version`")]
    fn a_value_without_a_place_is_refused() {
        fill("{{name}}", &[("name", "a"), ("version", "1")]);
    }

    #[test]
    #[should_panic(expected = "a name without a value: `{{version}}`")]
    fn a_name_without_a_value_is_refused() {
        fill("{{name}} {{version}}", &[("name", "a")]);
    }

    #[test]
    fn other_braces_stay() {
        let text = "{{{name}}, []} {{since, key}, order} Functions{{{name}}: f} {{1}} }} {{name";
        assert_eq!(fill(text, &[("name", "A")]), "{A, []} {{since, key}, order} Functions{A: f} {{1}} }} {{name");
    }

    #[test]
    fn documentation_ends_before_what_follows_it() {
        assert_eq!([paragraphs(""), paragraphs("one\n\ntwo"), paragraphs("one\n")], ["", "one\n\ntwo\n\n", "one\n\n"]);
    }
}
