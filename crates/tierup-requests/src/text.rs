//! Text with `{{variables}}` in it.

use std::ops::Range;

use crate::dynamic::{self, Dynamic};
use crate::problems::Problems;
use crate::source::Source;

/// The longest variable, in bytes. Longer content between braces is not a variable.
const LONGEST: usize = 1000;

#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    pub(crate) parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub(crate) enum Part {
    Literal(String),
    Variable(Variable),
}

#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) expression: Expression,
    /// With its braces.
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone)]
pub(crate) enum Expression {
    /// `{{name}}`, or `{{%name}}` for its value percent-encoded.
    Named { name: String, percent_encoded: bool },
    /// `{{$…}}`
    Dynamic(Dynamic),
}

impl Text {
    /// Finds the variables in a part of the source without line ends.
    pub(crate) fn parse(source: &Source, range: Range<usize>, problems: &mut Problems) -> Text {
        let mut text = Text::default();
        text.push_line(source, range, problems);
        text
    }

    /// Adds a part of the source without line ends. Content between braces that is not a variable stays as it is.
    pub(crate) fn push_line(&mut self, source: &Source, range: Range<usize>, problems: &mut Problems) {
        if problems.are_full() {
            return;
        }
        let mut written = range.start;
        let mut searched = range.start;
        while let Some(close) = source.text[searched..range.end].find("}}").map(|found| searched + found) {
            // The innermost braces count: in `{"a":{{{b}}}}`, the brace before them is text.
            let open = source.text[searched..close].rfind("{{").map(|found| searched + found);
            searched = close + 2;
            let Some(open) = open else { continue };
            let variable = open..searched;
            match expression(source.text[open + 2..close].trim()) {
                None => continue,
                Some(Ok(expression)) => {
                    self.push_literal(&source.text[written..open]);
                    self.parts.push(Part::Variable(Variable { expression, range: variable }));
                }
                Some(Err(wrong)) => {
                    let problem = source.problem(wrong.message, &variable);
                    problems.push(match wrong.hint {
                        Some(hint) => problem.hint(hint),
                        None => problem,
                    });
                }
            }
            written = searched;
        }
        self.push_literal(&source.text[written..range.end]);
    }

    pub(crate) fn push_literal(&mut self, literal: &str) {
        if let Some(Part::Literal(last)) = self.parts.last_mut() {
            last.push_str(literal);
        } else if !literal.is_empty() {
            self.parts.push(Part::Literal(literal.to_owned()));
        }
    }

    /// Changes the literal parts, but not the values of variables.
    pub(crate) fn map_literals(mut self, change: impl Fn(&str) -> String) -> Text {
        for part in &mut self.parts {
            if let Part::Literal(literal) = part {
                *literal = change(literal);
            }
        }
        self
    }
}

/// The content between braces; `None` if it is not a variable.
fn expression(content: &str) -> Option<Result<Expression, dynamic::Wrong>> {
    if content.len() > LONGEST {
        return None;
    }
    if content.starts_with('$') {
        return Some(dynamic::parse(content).map(Expression::Dynamic));
    }
    let (name, percent_encoded) = match content.strip_prefix('%') {
        Some(name) => (name, true),
        None => (content, false),
    };
    let first = name.chars().next()?;
    let is_name = (first.is_alphabetic() || first == '_' || first.is_ascii_digit())
        && name.chars().all(|c| c.is_alphanumeric() || "_-.$@*[]/()'\"".contains(c));
    is_name.then(|| Ok(Expression::Named { name: name.to_owned(), percent_encoded }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(line: &str, expect: Expect) {
        let source = Source::new("a.http", line);
        let mut problems = Problems::default();
        let text = Text::parse(&source, 0..line.len(), &mut problems);
        let mut shown: Vec<String> = text
            .parts
            .iter()
            .map(|part| match part {
                Part::Literal(literal) => format!("{literal:?}"),
                Part::Variable(variable) => format!("{:?} {:?}", variable.range, variable.expression),
            })
            .collect();
        shown.extend(problems.check().err().iter().flatten().map(ToString::to_string));
        expect.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn variables_are_found() {
        check(
            "{{host}}/a?b={{ %c-d }}!",
            expect![[r#"
                0..8 Named { name: "host", percent_encoded: false }
                "/a?b="
                13..23 Named { name: "c-d", percent_encoded: true }
                "!""#]],
        );
    }

    #[test]
    fn braces_that_are_not_variables_stay() {
        check(r#"{"a":{"b":{}}}"#, expect![[r#""{\"a\":{\"b\":{}}}""#]]);
        check("{{}} {{ }} {{#if x}} {{ }", expect![[r#""{{}} {{ }} {{#if x}} {{ }""#]]);
        check(
            "{{{a}}}",
            expect![[r#"
                "{"
                1..6 Named { name: "a", percent_encoded: false }
                "}""#]],
        );
    }

    #[test]
    fn unknown_variables_are_problems() {
        check(
            "id={{$guidd}}",
            expect![[r#"
                error: there is no variable `$guidd`
                 --> a.http:1:4
                  |
                1 | id={{$guidd}}
                  |    ^^^^^^^^^^
                hint: did you mean `$guid`?"#]],
        );
    }
}
