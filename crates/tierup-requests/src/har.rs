//! Reads the requests to one server from a HAR 1.2 recording (<http://www.softwareishard.com/blog/har-12-spec/>).

mod entry;

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;
use tierup_diagnostic::Diagnostic;

use crate::expand::Distinct;
use crate::problems::Problems;
use crate::problems::shortened;
use crate::source::Source;
use crate::{Request, Set};

/// The requests of a recording that go to one server.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The distinct requests, in the order in which they were recorded.
    pub set: Set,
    /// The server's name, with its port unless it is the scheme's own.
    pub host: String,
    /// The recorded requests that are left out, the most frequent reason first.
    pub left_out: Vec<LeftOut>,
}

/// Requests of a recording that are not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Why.
    pub reason: Reason,
    /// How many.
    pub requests: usize,
}

/// Why a recorded request is not sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It went to this other server.
    OtherHost(String),
    /// tierup cannot send it. The text says why in a few words.
    Unsendable(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::OtherHost(host) => write!(f, "went to {host}"),
            Reason::Unsendable(reason) => f.write_str(reason),
        }
    }
}

#[derive(Deserialize)]
struct Har<'a> {
    #[serde(borrow)]
    log: Log<'a>,
}

#[derive(Deserialize)]
struct Log<'a> {
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

impl Recording {
    /// Reads `text`, the whole content of `file_name`. Keeps the requests to `host` (`example.org`, `127.0.0.1:3000`);
    /// if it is `None`, to the server with most of the requests.
    ///
    /// Cookies, `Authorization` and conditional headers stay as they were recorded: they are part of the request, and
    /// they may be secrets. The recorded status is kept as [`Request::expected_status`], unless the same request was
    /// answered with different ones.
    ///
    /// # Errors
    /// The text is not a HAR recording, or it has no request to that server.
    pub fn parse(file_name: &str, text: &str, host: Option<&str>) -> Result<Recording, Vec<Diagnostic>> {
        let source = Source::new(file_name, text);
        let har: Har = serde_json::from_str(&source.text).map_err(|error| vec![not_a_har(&source, 0, &error)])?;
        let mut problems = Problems::default();
        let mut sent: Vec<Request> = Vec::new();
        let mut left_out = Tally::default();
        for raw in har.log.entries {
            // Where the entry starts: it is a slice of the text.
            let start = raw.get().as_ptr() as usize - source.text.as_ptr() as usize;
            match entry::read(&source, start, raw.get()) {
                Ok(Ok(request)) => sent.push(request),
                Ok(Err(reason)) => left_out.add(Reason::Unsendable(reason)),
                Err(error) => problems.push(not_a_har(&source, start, &error)),
            }
        }
        problems.check()?;

        let mut hosts = Tally::default();
        sent.iter().for_each(|request| hosts.add(host_of(request)));
        let hosts = hosts.most_frequent_first();
        let host = match (host, hosts.first()) {
            (Some(host), _) => host.to_ascii_lowercase(),
            (None, Some((host, _))) => host.clone(),
            (None, None) => return Err(vec![nothing(file_name)]),
        };
        let (ours, others): (Vec<_>, Vec<_>) = sent.into_iter().partition(|request| host_of(request) == host);
        others.iter().for_each(|request| left_out.add(Reason::OtherHost(host_of(request))));
        if ours.is_empty() {
            let known: Vec<String> = hosts.iter().map(|(host, count)| format!("{host} ({count})")).collect();
            let problem = Diagnostic::new(format!("there is no request to {host} in {file_name}"));
            return Err(vec![problem.hint(format!("there are requests to {}", known.join(", ")))]);
        }
        let left_out = left_out.most_frequent_first();
        let left_out = left_out.into_iter().map(|(reason, requests)| LeftOut { reason, requests }).collect();
        Ok(Recording { set: set(ours), host, left_out })
    }
}

/// Makes a set: each distinct request once, and the order as recorded.
fn set(requests: Vec<Request>) -> Set {
    let mut distinct = Distinct::default();
    let mut order = Vec::with_capacity(requests.len());
    for request in requests {
        let status = request.expected_status;
        let (index, is_new) = distinct.insert(request);
        let known = &mut distinct.requests[index as usize].expected_status;
        if !is_new && *known != status {
            *known = None;
        }
        order.push(index);
    }
    Set::recorded(distinct.requests, order)
}

fn host_of(request: &Request) -> String {
    request.host.clone().unwrap_or_default()
}

fn nothing(file_name: &str) -> Diagnostic {
    let problem = Diagnostic::new(format!("there is no request to a server in {file_name}"));
    problem.hint("record some in a browser: developer tools, Network, `Export HAR`")
}

/// `start` is the offset in the source at which serde_json started to read.
fn not_a_har(source: &Source, start: usize, error: &serde_json::Error) -> Diagnostic {
    // serde_json counts lines and bytes from the start of what it reads.
    let line = source.line(start) + error.line().saturating_sub(1);
    let before = if error.line() <= 1 { start - source.offset(source.line(start), 1) } else { 0 };
    let offset = source.offset(line, before + error.column());
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let problem = source.problem(format!("this is not a HAR 1.2 recording: {}", shortened(message)), &(offset..offset));
    problem.hint("export it again: developer tools, Network, `Export HAR`")
}

/// Counts, in the order of first occurrence.
struct Tally<T> {
    counts: Vec<(T, usize)>,
}

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Tally { counts: Vec::new() }
    }
}

impl<T: PartialEq> Tally<T> {
    fn add(&mut self, item: T) {
        match self.counts.iter_mut().find(|(known, _)| *known == item) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((item, 1)),
        }
    }

    fn most_frequent_first(mut self) -> Vec<(T, usize)> {
        self.counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        self.counts
    }
}
