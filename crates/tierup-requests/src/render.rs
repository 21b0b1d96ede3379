//! Makes a request of a template: variables get their values, files are put in.

use std::collections::HashMap;
use std::ops::Range;

use tierup_model::Diagnostic;

use crate::block::{Header, Template};
use crate::body::BodyPart;
use crate::dynamic;
use crate::headers;
use crate::names::{nearest, shortened};
use crate::problems::Problems;
use crate::random::Random;
use crate::source::Source;
use crate::target::{self, percent_encode, percent_encode_component};
use crate::text::{Expression, Part, Text, Variable};
use crate::values::{find, value};
use crate::{Context, Place, Request, Templates};

/// As much may come from variables in one text: those that double each other are stopped here.
const MOST_BYTES: usize = 64 << 20;

/// As many variables may stand in each other's values.
const MOST_DEPTH: usize = 100;

pub(crate) struct Renderer<'a> {
    templates: &'a Templates,
    context: &'a Context<'a>,
    files: HashMap<String, File>,
    pub(crate) problems: Problems,
}

/// A file that a body is taken from.
enum File {
    Bytes(Vec<u8>),
    /// `<@`: with variables.
    Template(Box<(Source, Text)>),
    /// It has been told of.
    Unreadable,
}

/// What is known while one request is made.
struct Making {
    random: Random,
    /// Whether a random value is part of it.
    varies: bool,
    /// The file's variables that have their value: one for the whole request.
    values: HashMap<String, String>,
    /// The file's variables whose value is being made.
    open: Vec<String>,
}

impl<'a> Renderer<'a> {
    pub(crate) fn new(templates: &'a Templates, context: &'a Context<'a>) -> Self {
        Renderer { templates, context, files: HashMap::new(), problems: Problems::default() }
    }

    /// Makes one request, and tells whether another `random` would make another one. Problems are pushed.
    pub(crate) fn render(&mut self, template: &Template, random: Random) -> (Request, bool) {
        let source = &self.templates.source;
        let mut making = Making { random, varies: false, values: HashMap::new(), open: Vec::new() };
        let problems_before = self.problems.count();
        let line = &template.request_line;
        let url = self.text(source, &line.target, &mut making);
        let target = match target::read(&url) {
            Ok(target) => target,
            Err((message, hint)) => {
                // Where a variable has no value, that is the reason.
                if self.problems.count() == problems_before {
                    self.problems.push(source.problem(message, &line.range).hint(hint));
                }
                target::Target { host: None, target: String::new() }
            }
        };
        // A path with random parts would give each request a name of its own.
        let name = template
            .name
            .clone()
            .unwrap_or_else(|| default_name(&line.method, if making.varies { &line.written } else { &target.target }));
        let mut headers = Vec::new();
        for header in &template.headers {
            headers.extend(self.header(source, header, &mut making));
        }
        let body = self.body(source, template, &headers, &mut making);
        let request = Request {
            name,
            place: Place { file: source.file.clone(), line: source.line(line.range.start) },
            method: line.method.clone(),
            target: target.target,
            host: target.host,
            headers,
            body,
            expected_status: None,
        };
        (request, making.varies)
    }

    fn header(&mut self, source: &Source, header: &Header, making: &mut Making) -> Option<(String, String)> {
        let value = self.text(source, &header.value, making).trim().to_owned();
        if !headers::is_value(&value) {
            let problem = source.problem("a header cannot have line ends or other control characters", &header.range);
            self.problems.push(problem.hint("look at the values of its variables"));
            return None;
        }
        if headers::is_the_senders(&header.name) {
            return None;
        }
        if header.name.eq_ignore_ascii_case("x-request-type") && value.eq_ignore_ascii_case("graphql") {
            let problem = source.problem("tierup does not make GraphQL bodies", &header.range);
            self.problems.push(problem.hint("write the body as JSON: `{\"query\": \"…\", \"variables\": {…}}`"));
            return None;
        }
        if !header.name.eq_ignore_ascii_case("authorization") {
            return Some((header.name.clone(), value));
        }
        match headers::authorization(&value) {
            Ok(value) => Some((header.name.clone(), value)),
            Err(message) => {
                let problem = source.problem(message, &header.range);
                self.problems.push(problem.hint("let the server take another scheme while it is measured"));
                None
            }
        }
    }

    fn body(
        &mut self,
        source: &Source,
        template: &Template,
        headers: &[(String, String)],
        making: &mut Making,
    ) -> Vec<u8> {
        let content_type = headers::find(headers, "content-type").unwrap_or_default().to_ascii_lowercase();
        let is_form = content_type.starts_with("application/x-www-form-urlencoded");
        let is_multipart = content_type.starts_with("multipart/");
        let mut body = Vec::new();
        for part in &template.body {
            match part {
                // What editors make of line ends: CRLF between the parts of a form (RFC 2046, section 5.1.1), none at
                // the `&` of a form that is written on many lines.
                BodyPart::Text(text) if is_multipart => {
                    let text = text.clone().map_literals(|literal| literal.replace('\n', "\r\n"));
                    body.extend(self.text(source, &text, making).into_bytes());
                }
                BodyPart::Text(text) if is_form => {
                    let text = text.clone().map_literals(join_fields);
                    body.extend(percent_encode(&self.text(source, &text, making)).into_bytes());
                }
                BodyPart::Text(text) => body.extend(self.text(source, text, making).into_bytes()),
                BodyPart::File { path, replaced, range } => {
                    let path = self.text(source, path, making);
                    body.extend(self.file(path, *replaced, range, making));
                }
            }
        }
        let ends_in_line =
            content_type.starts_with("application/x-ndjson") || content_type.starts_with("application/jsonl");
        if ends_in_line && !body.is_empty() && body.last() != Some(&b'\n') {
            body.push(b'\n');
        }
        body
    }

    fn file(&mut self, path: String, replaced: bool, range: &Range<usize>, making: &mut Making) -> Vec<u8> {
        let key = if replaced { format!("@{path}") } else { path.clone() };
        // Taken out, so that the problems of its variables can be noted; put back below.
        let file = match self.files.remove(&key) {
            Some(file) => file,
            None => self.open(&path, replaced, range),
        };
        let bytes = match &file {
            File::Bytes(bytes) => bytes.clone(),
            File::Template(template) => self.text(&template.0, &template.1, making).into_bytes(),
            File::Unreadable => Vec::new(),
        };
        self.files.insert(key, file);
        bytes
    }

    fn open(&mut self, path: &str, replaced: bool, range: &Range<usize>) -> File {
        let source = &self.templates.source;
        let problem = |message: String| source.problem(message, range);
        match self.context.files.read(path) {
            Err(error) => {
                let hint = "paths start from the folder of the requests file";
                self.problems.push(problem(format!("cannot read `{}`: {error}", shortened(path))).hint(hint));
                File::Unreadable
            }
            Ok(bytes) if !replaced => File::Bytes(bytes),
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(content) => {
                    let source = Source::new(path, &content);
                    let mut text = Text::default();
                    let mut start = 0;
                    for line in source.text.split_inclusive('\n') {
                        text.push_line(&source, start..start + line.len(), &mut self.problems);
                        start += line.len();
                    }
                    File::Template(Box::new((source, text)))
                }
                Err(_) => {
                    let hint = "write `<` instead of `<@` to send it as it is";
                    self.problems.push(
                        problem(format!("`{}` is not UTF-8, so it has no variables", shortened(path))).hint(hint),
                    );
                    File::Unreadable
                }
            },
        }
    }

    fn text(&mut self, source: &Source, text: &Text, making: &mut Making) -> String {
        let mut written = String::new();
        let mut from_variables = 0;
        for part in &text.parts {
            if self.problems.are_full() {
                return String::new();
            }
            match part {
                Part::Literal(literal) => written.push_str(literal),
                Part::Variable(variable) => {
                    let value = self.variable(source, variable, making);
                    from_variables += value.len();
                    if from_variables > MOST_BYTES {
                        let problem = source.problem("variables make more than 64 MiB of this", &variable.range);
                        self.problems.push(problem.hint("take large bodies from files: `< ./body.json`"));
                        return String::new();
                    }
                    written.push_str(&value);
                }
            }
        }
        written
    }

    /// The value, or nothing where there is none and a problem says so.
    fn variable(&mut self, source: &Source, variable: &Variable, making: &mut Making) -> String {
        match &variable.expression {
            Expression::Dynamic(dynamic) => {
                making.varies |= dynamic.varies();
                value(dynamic, self.context, &mut making.random).unwrap_or_else(|(message, hint)| {
                    self.problems.push(source.problem(message, &variable.range).hint(hint));
                    String::new()
                })
            }
            Expression::Named { name, percent_encoded } => {
                let value = self.named(source, name, variable, making);
                if *percent_encoded { percent_encode_component(&value) } else { value }
            }
        }
    }

    fn named(&mut self, source: &Source, name: &str, variable: &Variable, making: &mut Making) -> String {
        if let Some(value) = find(self.context.variables, name) {
            return value.to_owned();
        }
        if let Some(value) = making.values.get(name) {
            return value.clone();
        }
        let templates = self.templates;
        let Some(definition) = templates.definitions.iter().find(|definition| definition.name == name) else {
            self.problems.push(self.unknown(source, name, variable));
            return String::new();
        };
        if making.open.iter().any(|open| open == name) {
            let message = format!("`@{name}` refers to itself");
            self.problems.push(templates.source.problem(message, &definition.range).hint("give it a value of its own"));
            return String::new();
        }
        if making.open.len() == MOST_DEPTH {
            let message = format!("`@{name}` stands at the end of {MOST_DEPTH} variables that refer to each other");
            self.problems
                .push(templates.source.problem(message, &definition.range).hint("write its value where it is used"));
            return String::new();
        }
        making.open.push(name.to_owned());
        let value = self.text(&templates.source, &definition.value, making);
        making.open.pop();
        making.values.insert(name.to_owned(), value.clone());
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

/// `a=1\n&b=2` and `a=1 &\n b=2` on one line.
fn join_fields(literal: &str) -> String {
    let mut lines = literal.split('\n');
    let mut joined = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        if let Some(before) = joined.trim_end().strip_suffix('&') {
            joined.truncate(before.trim_end().len());
            joined.push('&');
            joined.push_str(line.trim_start());
        } else if line.trim_start().starts_with('&') {
            joined.truncate(joined.trim_end().len());
            joined.push_str(line.trim_start());
        } else {
            joined.push('\n');
            joined.push_str(line);
        }
    }
    joined
}

/// `GET /users/{{id}}`: the path as written, without the server and the query.
pub(crate) fn default_name(method: &str, written: &str) -> String {
    let rest = written.find("://").map_or(written, |end| &written[end + 3..]);
    let start = if written.starts_with("{{") && rest.len() == written.len() {
        rest.find("}}").map_or(0, |end| end + 2)
    } else if rest.len() < written.len() {
        rest.find('/').unwrap_or(rest.len())
    } else {
        0
    };
    let path = rest[start..].split(['?', '#']).next().unwrap_or_default();
    if path.is_empty() { format!("{method} /") } else { format!("{method} {path}") }
}
