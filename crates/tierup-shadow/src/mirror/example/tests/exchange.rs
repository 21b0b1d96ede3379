//! A request with the answers of both servers, and its form in the evidence and the reports.

use std::{fs, io::Write as _};

use flate2::{Compression, write::GzEncoder};
use hyper::{HeaderMap, Method, StatusCode, header::HeaderName};
use tierup_parity::{Answer, Finding, Policy, compare, decode};
use tierup_report::{
    Exporter as _, Html, Json, Markdown, Text,
    text::{Colour, Style},
};
use tierup_rollout::{Side, evidence::Event};

use super::super::*;
use crate::{
    Report, State,
    collector::{Collector, Connections},
    copy::ClientAnswer,
    evidence_file::EvidenceFile,
    hidden::Show,
    ledger::Ledger,
    metrics::metrics,
    mirror::evidence::Findings,
};

/// A request, and both answers.
#[derive(Default)]
pub(super) struct Exchange {
    pub(super) target: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
    pub(super) answers: [(Vec<(&'static str, String)>, String); 2],
    /// The content coding of all bodies, if they have one.
    pub(super) coding: Option<&'static str>,
}

impl Exchange {
    fn encoded(&self, body: &str) -> Vec<u8> {
        let Some("gzip") = self.coding else { return body.into() };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body.as_bytes()).and_then(|()| encoder.finish()).expect("there is room")
    }

    /// Both answers as observations.
    pub(super) fn observed(&self) -> [Observation; 2] {
        self.answers.each_ref().map(|(headers, body)| {
            let coding = self.coding.map(|coding| ("content-encoding", coding.to_owned()));
            let mut seen = observed(&(headers.iter().cloned().chain(coding).collect(), String::new()));
            let Seen::Answer(answer) = &mut seen.seen else { panic!("{seen:?}") };
            answer.body = self.encoded(body);
            seen
        })
    }
}

/// The copy of the exchange's request.
pub(super) fn copied(exchange: &Exchange, collector: &Collector) -> Copied {
    let mut headers = HeaderMap::new();
    for (name, value) in &exchange.headers {
        headers.append(HeaderName::from_static(name), value.parse().expect("a header"));
    }
    if let Some(coding) = exchange.coding {
        headers.append("content-encoding", coding.parse().expect("a header"));
    }
    let target = exchange.target.parse::<hyper::Uri>().expect("a target");
    let answer = ClientAnswer {
        status: StatusCode::OK,
        headers: HeaderMap::new(),
        body: exchange.answers[0].1.clone().into(),
        took: std::time::Duration::ZERO,
    };
    let route = collector.counter().route(&Method::POST, target.path());
    Copied {
        method: Method::POST,
        target,
        headers,
        body: exchange.encoded(&exchange.body).into(),
        is_safe: false,
        pair: Pair::Candidate,
        by: tierup_rollout::Side::Control,
        answer,
        route,
        client: 0,
        is_network: false,
        permit: None,
        taken: None,
    }
}

/// One answer as an observation.
pub(super) fn observed((headers, body): &(Vec<(&'static str, String)>, String)) -> Observation {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let answer = Answer {
        url: "http://shop/".to_owned(),
        status: 200,
        headers,
        content_type: Some("application/json".to_owned()),
        body: body.clone().into(),
        ..Answer::default()
    };
    Observation::new(Seen::Answer(answer))
}

/// The text of the evidence file about an exchange.
pub(super) fn written(exchange: &Exchange, hide: &[&str]) -> String {
    kept(exchange, hide, Show::all()).0
}

/// The text of the evidence file, and the reports about it in all formats.
pub(super) fn kept(exchange: &Exchange, hide: &[&str], show: Show) -> (String, [String; 5]) {
    let state = tempfile::tempdir().expect("there is room");
    let (collector, notes) = Collector::showing(&[], show.clone());
    let file = EvidenceFile::new(state.path(), 1 << 30);
    let ledger = Ledger::start(&collector, notes, Some(file), Box::new(|_| None)).expect("it starts");
    let hidden = Hidden::new(hide.iter().map(|field| field.parse().expect("a path")).collect(), show);
    let mut findings = Findings::new(&collector, hidden);
    let [mut control, mut candidate] = exchange.observed();
    decode(&mut control, &mut candidate);
    let policy = Policy { bodies: tierup_parity::Comparator::Json(Default::default()), ..Policy::default() };
    let finding = compare(&control, &candidate, &policy);
    assert!(matches!(finding, Finding::Mismatch(_)), "{finding:?}");
    let copied = copied(exchange, &collector);
    findings.add(Pair::Candidate, &copied, &control, &candidate, &finding);
    drop(findings);
    collector.event(Event::Unreachable { side: Side::Candidate, is: true });
    drop(ledger.end());
    let files = fs::read_dir(state.path().join("evidence")).expect("it was written");
    let file = files.map(|file| fs::read_to_string(file.expect("it is there").path()).expect("it is text")).collect();
    let summary = State::read(state.path()).expect("it can be read").summary;
    let report = Report::new(&summary, &[]);
    let text = Text(Style { width: None, colour: Colour::Plain });
    (
        file,
        [
            text.export(&report),
            Json.export(&report),
            Markdown.export(&report),
            Html.export(&report),
            metrics(&summary, &Connections::default(), true),
        ],
    )
}
