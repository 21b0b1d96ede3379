//! Gives variables their values, within one request.

use std::collections::HashMap;

use tierup_diagnostic::Diagnostic;

use crate::context::{Context, find};
use crate::dynamic;
use crate::problems::Problems;
use crate::random::Random;
use crate::source::Source;
use crate::target::percent_encode_component;
use crate::text::{Expression, Part, Text, Variable};
use crate::values::value;
use crate::{Secret, Templates};
use tierup_diagnostic::nearest;

/// The most bytes that variables may add to one text. This stops variables that double each other.
const MOST_BYTES: usize = 64 << 20;

/// How deep variables may be nested in each other's values.
const MOST_DEPTH: usize = 100;

/// The state while one request is made.
pub(crate) struct Evaluation<'a> {
    pub(crate) templates: &'a Templates,
    pub(crate) context: &'a Context<'a>,
    pub(crate) problems: &'a mut Problems,
    /// Whether the request contains a random value, so that different requests can be made from its template.
    pub(crate) varies: bool,
    /// The values taken from the environment so far.
    pub(crate) secrets: Vec<Secret>,
    random: Random,
    /// The values of the file's variables so far. A variable has one value in the whole request.
    values: HashMap<String, String>,
    /// The file's variables that are being evaluated.
    open: Vec<String>,
}

impl<'a> Evaluation<'a> {
    pub(crate) fn new(
        templates: &'a Templates,
        context: &'a Context<'a>,
        random: Random,
        problems: &'a mut Problems,
    ) -> Self {
        let (secrets, values, open) = (Vec::new(), HashMap::new(), Vec::new());
        Evaluation { templates, context, problems, varies: false, secrets, random, values, open }
    }

    /// The text with its variables replaced. A variable without a value is replaced by nothing and reported.
    pub(crate) fn text(&mut self, source: &Source, text: &Text) -> String {
        let mut written = String::new();
        let mut from_variables = 0;
        for part in &text.parts {
            if self.problems.are_full() {
                return String::new();
            }
            match part {
                Part::Literal(literal) => written.push_str(literal),
                Part::Variable(variable) => {
                    let value = self.variable(source, variable);
                    from_variables += value.len();
                    if from_variables > MOST_BYTES {
                        let problem = source.problem("this expands to more than 64 MiB", &variable.range);
                        self.problems.push(problem.hint("take large bodies from files: `< ./body.json`"));
                        return String::new();
                    }
                    written.push_str(&value);
                }
            }
        }
        written
    }

    fn variable(&mut self, source: &Source, variable: &Variable) -> String {
        match &variable.expression {
            Expression::Dynamic(dynamic) => {
                self.varies |= dynamic.varies();
                let value = value(dynamic, self.context, &mut self.random).unwrap_or_else(|(message, hint)| {
                    self.problems.push(source.problem(message, &variable.range).hint(hint));
                    String::new()
                });
                if let Some(written) = dynamic.secret(self.context) {
                    let secret = Secret { value: value.clone(), written };
                    if !self.secrets.contains(&secret) {
                        self.secrets.push(secret);
                    }
                }
                value
            }
            Expression::Named { name, percent_encoded } => {
                let value = self.named(source, name, variable);
                if *percent_encoded { percent_encode_component(&value) } else { value }
            }
        }
    }

    fn named(&mut self, source: &Source, name: &str, variable: &Variable) -> String {
        if let Some(value) = find(self.context.variables, name) {
            return value.to_owned();
        }
        if let Some(value) = self.values.get(name) {
            return value.clone();
        }
        let templates = self.templates;
        let Some(definition) = templates.definitions.iter().find(|definition| definition.name == name) else {
            self.problems.push(self.unknown(source, name, variable));
            return String::new();
        };
        if self.open.iter().any(|open| open == name) {
            let message = format!("`@{name}` refers to itself");
            self.problems.push(
                templates
                    .source
                    .problem(message, &definition.range)
                    .hint("give it a value that does not refer to itself"),
            );
            return String::new();
        }
        if self.open.len() == MOST_DEPTH {
            let message = format!("`@{name}` is nested in {MOST_DEPTH} variables that refer to each other");
            self.problems
                .push(templates.source.problem(message, &definition.range).hint("write its value where it is used"));
            return String::new();
        }
        self.open.push(name.to_owned());
        let value = self.text(&templates.source, &definition.value);
        self.open.pop();
        self.values.insert(name.to_owned(), value.clone());
        value
    }

    fn unknown(&self, source: &Source, name: &str, variable: &Variable) -> Diagnostic {
        let problem = source.problem(format!("the variable `{name}` has no value"), &variable.range);
        if name.contains(".response.") || name.contains(".request.") {
            return problem.hint("tierup sends each request by itself; give the value as a variable instead");
        }
        let defined = self.templates.definitions.iter().map(|definition| definition.name.as_str());
        let given = self.context.variables.iter().map(|(name, _)| name.as_str());
        match nearest(name, defined.chain(given).chain(dynamic::NAMES)) {
            Some(meant) => problem.hint(format!("did you mean `{meant}`?")),
            None => problem.hint(format!("write `@{name} = …` at the start of the file")),
        }
    }
}
