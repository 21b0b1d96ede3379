//! Makes a request from a template: replaces variables by their values, and inserts files.

use crate::block::{Header, Template};
use crate::body::BodyPart;
use crate::evaluate::Evaluation;
use crate::headers;
use crate::included::Included;
use crate::problems::Problems;
use crate::random::Random;
use crate::source::Source;
use crate::target::{self, percent_encode};
use crate::{Context, FileLine, Request, Templates};

pub(crate) struct Renderer<'a> {
    templates: &'a Templates,
    context: &'a Context<'a>,
    included: Included,
    pub(crate) problems: Problems,
    /// The bytes that the kept requests take; `most_bytes` is the limit.
    kept: usize,
    most_bytes: usize,
}

impl<'a> Renderer<'a> {
    pub(crate) fn new(templates: &'a Templates, context: &'a Context<'a>, most_bytes: usize) -> Self {
        let (included, problems) = Default::default();
        Renderer { templates, context, included, problems, kept: 0, most_bytes }
    }

    /// Counts the request's bytes, and returns whether they fit the limit. If not, reports that.
    pub(crate) fn keeps(&mut self, request: &Request, template: &Template) -> bool {
        let headers = request.headers.iter().map(|(name, value)| name.len() + value.len());
        self.kept += request.target.len() + request.body.len() + headers.sum::<usize>();
        let has_room = self.kept <= self.most_bytes;
        if !has_room {
            let message = format!("the requests of this file take more than {} MiB together", self.most_bytes >> 20);
            let problem = self.templates.source.problem(message, &template.request_line.range);
            self.problems.push(problem.hint("ask for fewer requests, or make their values shorter"));
        }
        has_room
    }

    /// Makes one request, and returns whether another `random` can make a different one. Reports problems.
    pub(crate) fn render(&mut self, template: &Template, random: Random) -> (Request, bool) {
        let source = &self.templates.source;
        let problems_before = self.problems.count();
        let mut evaluation = Evaluation::new(self.templates, self.context, random, &mut self.problems);
        let line = &template.request_line;
        let url = evaluation.text(source, &line.target);
        let target = match target::read(&url) {
            Ok(target) => target,
            Err((message, hint)) => {
                // If a variable without a value is the cause, it has been reported already.
                if evaluation.problems.count() == problems_before {
                    evaluation.problems.push(source.problem(message, &line.range).hint(hint));
                }
                target::Target { host: None, target: String::new() }
            }
        };
        // A path with random parts would give each request a name of its own.
        let name = template.name.clone().unwrap_or_else(|| {
            default_name(&line.method, if evaluation.varies { &line.written } else { &target.target })
        });
        let mut headers = Vec::new();
        for header in &template.headers {
            headers.extend(self::header(source, header, &mut evaluation));
        }
        let body = body(source, template, &headers, &mut self.included, &mut evaluation);
        let varies = evaluation.varies;
        let request = Request {
            name,
            place: FileLine { file: source.file.clone(), line: source.line(line.range.start) },
            method: line.method.clone(),
            target: target.target,
            host: target.host,
            headers,
            body,
            expected_status: None,
            secrets: evaluation.secrets,
        };
        (request.with_its_own_secrets(), varies)
    }
}

/// `None` if the header is not sent.
fn header(source: &Source, header: &Header, evaluation: &mut Evaluation) -> Option<(String, String)> {
    let value = evaluation.text(source, &header.value).trim().to_owned();
    if !headers::is_value(&value) {
        let problem = source.problem("a header cannot have line ends or other control characters", &header.range);
        evaluation.problems.push(problem.hint("look at the values of its variables"));
        return None;
    }
    if headers::is_the_senders(&header.name) {
        return None;
    }
    if header.name.eq_ignore_ascii_case("x-request-type") && value.eq_ignore_ascii_case("graphql") {
        let problem = source.problem("GraphQL bodies are not supported", &header.range);
        evaluation.problems.push(problem.hint("write the body as JSON: `{\"query\": \"…\", \"variables\": {…}}`"));
        return None;
    }
    if !header.name.eq_ignore_ascii_case("authorization") {
        return Some((header.name.clone(), value));
    }
    match headers::authorization(&value) {
        Ok(value) => Some((header.name.clone(), value)),
        Err(message) => {
            let problem = source.problem(message, &header.range);
            evaluation.problems.push(problem.hint("use another authentication scheme while you measure"));
            None
        }
    }
}

fn body(
    source: &Source,
    template: &Template,
    headers: &[(String, String)],
    included: &mut Included,
    evaluation: &mut Evaluation,
) -> Vec<u8> {
    let content_type = headers::find(headers, "content-type").unwrap_or_default().to_ascii_lowercase();
    let is_form = content_type.starts_with("application/x-www-form-urlencoded");
    let is_multipart = content_type.starts_with("multipart/");
    let mut body = Vec::new();
    for part in &template.body {
        match part {
            // Line ends are those of the editors: CRLF in a multipart form (RFC 2046, section 5.1.1), but no line end
            // at the `&` of a form that is written on several lines.
            BodyPart::Text(text) if is_multipart => {
                let text = text.clone().map_literals(|literal| literal.replace('\n', "\r\n"));
                body.extend(evaluation.text(source, &text).into_bytes());
            }
            BodyPart::Text(text) if is_form => {
                let text = text.clone().map_literals(join_fields);
                body.extend(percent_encode(&evaluation.text(source, &text)).into_bytes());
            }
            BodyPart::Text(text) => body.extend(evaluation.text(source, text).into_bytes()),
            BodyPart::File { path, replaced, range } => {
                let path = evaluation.text(source, path);
                body.extend(included.content(&path, *replaced, range, evaluation));
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

/// Joins the fields of `a=1\n&b=2` and `a=1 &\n b=2` on one line.
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
