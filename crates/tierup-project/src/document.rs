//! A TOML file whose values know their places. The reader collects all problems instead of stopping at the first.

use std::{cell::RefCell, ops::Range};

use tierup_diagnostic::{Diagnostic, Failure, Place, Result, nearest};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::keys::Section;

/// A file and the problems found in it so far.
pub(crate) struct Document {
    file: String,
    text: String,
    problems: RefCell<Vec<Diagnostic>>,
}

/// A text value and its byte range in the file, including the quotes.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) value: String,
    pub(crate) span: Range<usize>,
}

impl Document {
    pub(crate) fn new(file: String, text: String) -> Document {
        Document { file, text, problems: RefCell::default() }
    }

    pub(crate) fn parse(&self) -> Result<Spanned<DeTable<'_>>> {
        DeTable::parse(&self.text).map_err(|error| {
            let mut problem = Diagnostic::new(error.message().lines().collect::<Vec<_>>().join(", "));
            problem.place = error.span().map(|span| self.place(&span));
            Failure::Diagnostics(vec![problem])
        })
    }

    pub(crate) fn root<'a>(&'a self, parsed: &'a Spanned<DeTable<'_>>) -> Table<'a> {
        Table::new(self, String::new(), parsed.get_ref(), 0..0)
    }

    /// Treats the whole file as the table `name`.
    #[cfg(test)]
    pub(crate) fn only<'a>(&'a self, parsed: &'a Spanned<DeTable<'_>>, name: &str) -> Table<'a> {
        Table::new(self, name.to_owned(), parsed.get_ref(), 0..0)
    }

    pub(crate) fn place(&self, span: &Range<usize>) -> Place {
        Place::new(self.file.clone(), &self.text, span.clone())
    }

    /// The place of a part of a text value, or the place of the whole value if it has escapes.
    pub(crate) fn place_in(&self, text: &Text, part: Range<usize>) -> Place {
        let start = text.span.start + 1;
        if self.text.get(start..start + text.value.len()) == Some(&text.value) {
            self.place(&(start + part.start..start + part.end))
        } else {
            self.place(&text.span)
        }
    }

    pub(crate) fn add(&self, problem: Diagnostic) {
        self.problems.borrow_mut().push(problem);
    }

    /// The number of problems so far.
    pub(crate) fn count(&self) -> usize {
        self.problems.borrow().len()
    }

    /// Fails if there are problems, with all of them in the order of their places.
    pub(crate) fn result(&self) -> Result<()> {
        let mut problems = self.problems.take();
        problems.sort_by_key(|problem| problem.place.as_ref().map(|place| (place.line, place.column)));
        if problems.is_empty() { Ok(()) } else { Err(Failure::Diagnostics(problems)) }
    }
}

/// A table that is being read. Its section lists the keys that it may have; [`Table::finish`] refuses all others.
pub(crate) struct Table<'a> {
    pub(crate) document: &'a Document,
    /// The name in messages, such as `route` or `host.node`; empty for the file itself.
    pub(crate) name: String,
    table: &'a DeTable<'a>,
    pub(crate) span: Range<usize>,
    /// `None` if users choose the keys.
    section: Option<&'static Section>,
    /// The keys that were read.
    read: RefCell<Vec<&'static str>>,
}

impl<'a> Table<'a> {
    fn new(document: &'a Document, name: String, table: &'a DeTable<'a>, span: Range<usize>) -> Table<'a> {
        let section = Section::find(&name);
        Table { document, name, table, span, section, read: RefCell::default() }
    }

    /// The keys that the table may have.
    fn known(&self) -> impl Iterator<Item = &'static str> {
        self.section.into_iter().flat_map(Section::keys)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// The place of a key's value, or of the table if the key is missing.
    pub(crate) fn place(&self, key: &str) -> Place {
        self.document.place(&self.table.get(key).map_or_else(|| self.span.clone(), Spanned::span))
    }

    /// All entries of the table in order, for tables whose keys users choose.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Text, &'a Spanned<DeValue<'a>>)> {
        self.table.iter().map(|(key, value)| (Text { value: key.get_ref().to_string(), span: key.span() }, value))
    }

    pub(crate) fn value(&self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        debug_assert!(self.known().any(|known| known == key), "`{key}` of `{}` is not in keys/table.rs", self.name);
        self.read.borrow_mut().push(key);
        self.table.get(key)
    }

    pub(crate) fn text(&self, key: &'static str) -> Option<Text> {
        self.text_of(key, self.value(key)?)
    }

    pub(crate) fn required_text(&self, key: &'static str) -> Option<Text> {
        let text = self.text(key);
        self.require(key);
        text
    }

    pub(crate) fn flag(&self, key: &'static str) -> Option<bool> {
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(*flag),
            _ => self.wrong(key, value, "true or false"),
        }
    }

    /// A list of texts.
    pub(crate) fn texts(&self, key: &'static str) -> Option<Vec<Text>> {
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::Array(values) => values.iter().map(|value| self.text_of(key, value)).collect(),
            _ => self.wrong(key, value, "a list of strings"),
        }
    }

    pub(crate) fn required_texts(&self, key: &'static str) -> Option<Vec<Text>> {
        let texts = self.texts(key);
        self.require(key);
        texts
    }

    pub(crate) fn table(&self, key: &'static str) -> Option<Table<'a>> {
        self.table_of(key, self.value(key)?)
    }

    pub(crate) fn required_table(&self, key: &'static str) -> Option<Table<'a>> {
        let table = self.table(key);
        self.require(key);
        table
    }

    /// The tables of `[[key]]`.
    pub(crate) fn tables(&self, key: &'static str) -> Vec<Table<'a>> {
        let Some(value) = self.value(key) else { return Vec::new() };
        match value.get_ref() {
            DeValue::Array(values) => values.iter().filter_map(|value| self.table_of(key, value)).collect(),
            _ => self.wrong(key, value, &format!("`[[{key}]]`, with two brackets")).unwrap_or_default(),
        }
    }

    /// A value that must be a text.
    pub(crate) fn text_of(&self, key: &str, value: &'a Spanned<DeValue<'a>>) -> Option<Text> {
        match value.get_ref() {
            DeValue::String(text) => Some(Text { value: text.to_string(), span: value.span() }),
            _ => self.wrong(key, value, "a string"),
        }
    }

    /// A value that must be a table.
    pub(crate) fn table_of(&self, key: &str, value: &'a Spanned<DeValue<'a>>) -> Option<Table<'a>> {
        let name = if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) };
        match value.get_ref() {
            DeValue::Table(table) => Some(Table::new(self.document, name, table, value.span())),
            _ => self.wrong(key, value, "a table"),
        }
    }

    /// Reports a value of the wrong type.
    pub(crate) fn wrong<T>(&self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) -> Option<T> {
        let article = match value.get_ref() {
            DeValue::Integer(_) | DeValue::Array(_) => "an",
            _ => "a",
        };
        let problem = Diagnostic::new(format!("`{key}` must be {wanted}"))
            .at(self.document.place(&value.span()))
            .label(format!("this is {article} {}", value.get_ref().type_str()));
        self.document.add(problem);
        None
    }

    /// Reports every key that the table may not have. All keys that it may have must have been read by now.
    pub(crate) fn finish(&self) {
        let unread = || self.known().find(|key| !self.read.borrow().contains(key));
        debug_assert_eq!(unread(), None, "in keys/table.rs, but not read, in `{}`", self.name);
        let known: Vec<_> = self.known().collect();
        for (key, _) in self.table.iter().filter(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
            let place = self.document.place(&key.span());
            let whose = if self.name.is_empty() { String::new() } else { format!(" in `{}`", self.name) };
            let problem = Diagnostic::new(format!("unknown key `{}`{whose}", key.get_ref())).at(place);
            self.document.add(match nearest(key.get_ref(), known.iter().copied()) {
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None => problem.hint(format!("known here: {}", known.join(", "))),
            });
        }
    }

    pub(crate) fn require(&self, key: &str) {
        if self.has(key) {
            return;
        }
        self.document.add(match (self.name.as_str(), key) {
            ("", "host") => Diagnostic::new("`[host.NAME]` is missing")
                .at(self.document.place(&(0..0)))
                .hint("add the server that calls the function, e.g. `[host.node]` with its `start`"),
            ("", _) => Diagnostic::new(format!("`[{key}]` is missing")).at(self.document.place(&(0..0))),
            (name, _) => Diagnostic::new(format!("`{name}` lacks `{key}`")).at(self.document.place(&self.span)),
        });
    }
}

/// Reads a table, then reports every key that it may not have.
pub(crate) fn finished<T>(table: &Table<'_>, read: impl FnOnce(&Table<'_>) -> T) -> T {
    let result = read(table);
    table.finish();
    result
}
