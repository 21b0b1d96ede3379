//! Reads the files that bodies include, each once.

use std::collections::HashMap;
use std::ops::Range;

use crate::evaluate::Evaluation;
use crate::problems::shortened;
use crate::source::Source;
use crate::text::Text;

#[derive(Default)]
pub(crate) struct Included {
    files: HashMap<String, File>,
}

enum File {
    Bytes(Vec<u8>),
    /// Included by `<@`: its variables are replaced.
    Template(Box<(Source, Text)>),
    /// The file cannot be read, which has been reported.
    Unreadable,
}

impl Included {
    /// The bytes that the file adds. `replaced` is whether its variables are replaced; `range` is the line that names
    /// it.
    pub(crate) fn content(
        &mut self,
        path: &str,
        replaced: bool,
        range: &Range<usize>,
        evaluation: &mut Evaluation,
    ) -> Vec<u8> {
        let key = if replaced { format!("@{path}") } else { path.to_owned() };
        match self.files.entry(key).or_insert_with(|| open(path, replaced, range, evaluation)) {
            File::Bytes(bytes) => bytes.clone(),
            File::Template(template) => evaluation.text(&template.0, &template.1).into_bytes(),
            File::Unreadable => Vec::new(),
        }
    }
}

fn open(path: &str, replaced: bool, range: &Range<usize>, evaluation: &mut Evaluation) -> File {
    let source = &evaluation.templates.source;
    let problem = |message: String| source.problem(message, range);
    match evaluation.context.files.read(path) {
        Err(error) => {
            let hint = "paths start from the folder of the requests file";
            evaluation.problems.push(problem(format!("cannot read `{}`: {error}", shortened(path))).hint(hint));
            File::Unreadable
        }
        Ok(bytes) if !replaced => File::Bytes(bytes),
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(content) => {
                let source = Source::new(path, &content);
                let mut text = Text::default();
                let mut start = 0;
                for line in source.text.split_inclusive('\n') {
                    text.push_line(&source, start..start + line.len(), evaluation.problems);
                    start += line.len();
                }
                File::Template(Box::new((source, text)))
            }
            Err(_) => {
                let hint = "write `<` instead of `<@` to send it as it is";
                evaluation
                    .problems
                    .push(problem(format!("`{}` is not UTF-8, so it has no variables", shortened(path))).hint(hint));
                File::Unreadable
            }
        },
    }
}
