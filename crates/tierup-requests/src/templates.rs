//! The requests of a parsed `.http` file, before their variables are replaced.

use std::collections::HashMap;

use tierup_diagnostic::Diagnostic;

use crate::block::{self, Definition, Template};
use crate::blocks::blocks;
use crate::problems::Problems;
use crate::problems::shortened;
use crate::source::Source;

/// The requests of a `.http` file, at least one.
#[derive(Debug, Clone)]
pub struct Templates {
    pub(crate) source: Source,
    pub(crate) definitions: Vec<Definition>,
    pub(crate) templates: Vec<Template>,
}

impl Templates {
    /// Reads `text`, the whole content of `file_name`.
    ///
    /// ```
    /// use tierup_requests::{Context, Moment, Templates};
    ///
    /// let text = "@host = http://127.0.0.1:3000\n\n### An item\nGET {{host}}/items/{{$randomInt 1 1000}}\n";
    /// let templates = Templates::parse("requests.http", text).unwrap();
    /// let now = Moment { unix_milliseconds: 0, utc_offset_minutes: 0 };
    /// let set = templates.expand(100, 1, &Context::new(now)).unwrap();
    /// assert_eq!(set.requests.len(), 100);
    /// assert_eq!(set.requests[0].host.as_deref(), Some("127.0.0.1:3000"));
    /// assert!(set.requests[0].target.starts_with("/items/"));
    /// ```
    ///
    /// # Errors
    /// Up to twenty problems in the order of the text. A file without any request is a problem too.
    pub fn parse(file_name: &str, text: &str) -> Result<Templates, Vec<Diagnostic>> {
        let source = Source::new(file_name, text);
        let mut problems = Problems::default();
        let mut definitions = Vec::new();
        let mut templates = Vec::new();
        for block in blocks(&source) {
            templates.extend(block::read(&source, &block, &mut definitions, &mut problems));
            if problems.are_full() {
                break;
            }
        }
        defined_once(&source, &definitions, &mut problems);
        if templates.is_empty() && problems.count() == 0 {
            let problem = Diagnostic::new(format!("there is no request in {file_name}"));
            problems.push(problem.hint("write one: `GET http://127.0.0.1:3000/path`"));
        }
        problems.check()?;
        Ok(Templates { source, definitions, templates })
    }

    /// How many requests are written in the file.
    #[expect(clippy::len_without_is_empty, reason = "a file without requests is an error, so it is never empty")]
    pub fn len(&self) -> usize {
        self.templates.len()
    }
}

/// Reports variables that are defined twice: the editors disagree on which definition counts.
fn defined_once(source: &Source, definitions: &[Definition], problems: &mut Problems) {
    let mut lines = HashMap::new();
    for definition in definitions {
        let line = source.line(definition.range.start);
        if let Some(line) = lines.insert(&definition.name, line) {
            let message = format!("`@{}` is already defined in line {line}", shortened(&definition.name));
            problems
                .push(source.problem(message, &definition.range).hint("keep one of them, or give one another name"));
        }
    }
}
