//! The lines of an evidence file: JSON, one value a line.
//!
//! A proxy appends a [`Slot`] every [`SLOT`] seconds, and [`Difference`]s and [`Event`]s as they happen. Lines are numbered
//! within a file, so that a reader that was interrupted takes none in twice. What is in a line was made harmless by the
//! proxy before it was written: no credential, no value that the user hides.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize, de::Error as _};

use crate::{
    control::Phase,
    latencies::Latencies,
    weights::{Part, Side, Weights},
};

/// How long a slot lasts, in seconds. Slots end at multiples of it since 1970 by the proxy's wall clock, so that those of
/// several proxies cover the same times. A slot is shorter where the control file changes within it.
pub const SLOT: u64 = 5;
/// The most bad answers that a slot names one by one. Of more, that many are chosen by chance, whoever gave them.
pub const MOST_BAD: usize = 1000;

/// An answer may be late from then on.
pub const LATE: Duration = Duration::from_secs(1);

/// How often both sides are asked again before a difference counts as [confirmed](Event::Confirmed). Once is not enough:
/// where one answer in a thousand is odd, an equal candidate is odd twice in four of ten ramps (`docs/judge.md`).
pub const CONFIRMATIONS: u32 = 3;
/// How long after the answer before, in seconds. Within milliseconds a cache gives the same old answer three times.
pub const AGAIN_AFTER: [u64; CONFIRMATIONS as usize] = [1, 15, 60];
/// The most of anything that a slot counts. No proxy counts so much in some seconds, and sums of many slots remain numbers.
const MOST_COUNTED: u64 = 1 << 40;

/// Whether control's status is that of an ordinary answer. Whether a header is too long, or a condition holds, is decided
/// by the server around a function: anybody can send a request that two servers treat differently.
pub fn is_ordinary(status: u16) -> bool {
    status < 400 && status != 304
}

/// Why a request with effects has no copy while every lane is taken. It was never in the sample: a lane serves one request at
/// a time, so under load most requests find none, and that says nothing against those which did.
pub const NO_LANE: &str = "no lane was free";

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// From 1, without a gap.
    pub number: u64,
    /// In milliseconds since 1970, by the proxy's clock; for the reader, not for decisions.
    pub at: u64,
    #[serde(flatten)]
    pub entry: Entry,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    Slot(Slot),
    Difference(Difference),
    Event(Event),
}

/// What happened at one proxy in one slot of time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Slot {
    /// The ramp of the control file in force when the slot began, and its generation; `None` without one.
    pub ramp: Option<String>,
    pub generation: u64,
    pub phase: Option<Phase>,
    /// In force for requests that began in this slot.
    #[serde(default)]
    pub weights: Weights,
    /// In milliseconds, by a clock that is never set.
    pub lasted: u64,
    /// Whether copies were made in this slot: they are switched off now and then, to see what they cost.
    pub mirroring: bool,
    /// The part of the safe requests that was in the sample, after the proxy's own limits.
    pub sample: Part,
    /// The part of the copies that went to the second control process. It changes between slots only.
    pub second: Part,
    /// Answers to clients.
    pub live: Vec<Live>,
    /// Bad answers to clients, with the weights under which each request was assigned.
    pub bad: Vec<Bad>,
    /// Bad answers that are not in `bad`, as there were more than [`MOST_BAD`].
    pub bad_not_listed: u64,
    /// Whose answers by the candidate took [`LATE`] or longer: at most [`MOST_BAD`].
    #[serde(default)]
    pub late: Vec<Witness>,
    /// How long answers to clients took, from the request's head to the answer's, for each side.
    pub latencies: BTreeMap<Side, Latencies>,
    /// How long answers to copies took, for each side that was sent some.
    #[serde(default)]
    pub copy_latencies: BTreeMap<Side, Latencies>,
    /// Processor time of the processes that are known, in seconds.
    pub processor: BTreeMap<Side, f64>,
    /// The sample, by route.
    pub copies: Vec<Copies>,
}

/// Answers of one side to one route's requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    pub route: String,
    pub side: Side,
    /// With any status.
    pub answered: u64,
    /// Of these, with a status from 500 on.
    pub errors: u64,
    /// Not in time, or not at all: not in `answered`.
    pub silent: u64,
}

/// A bad answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bad {
    pub kind: BadKind,
    pub route: String,
    pub side: Side,
    /// In force when the request was assigned.
    pub weights: Weights,
    /// The client's bucket, where it has one: of a client's bad answers, a ramp counts the first. A request without one
    /// had no choice: its weights are [`Weights::CONTROL_ONLY`].
    pub client: Option<u64>,
    /// The client's network, where that is known: an address that is public or that a trusted proxy reported, or its /64. Its
    /// clients may all be one, which takes another key each time.
    #[serde(default)]
    pub network: Option<u64>,
}

/// Whose an answer was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Witness {
    /// The bucket of a network, all of whose clients are one; of a client, where many may have the same address.
    pub bucket: u64,
    #[serde(rename = "is_public")]
    pub is_network: bool,
}

impl Witness {
    pub fn new(client: Option<u64>, network: Option<u64>) -> Option<Witness> {
        network.or(client).map(|bucket| Witness { bucket, is_network: network.is_some() })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BadKind {
    /// A status from 500 on.
    Error,
    /// No answer in time.
    TimedOut,
    /// The connection was refused, or ended before the answer did.
    Broken,
    /// No answer yet, and its client left before it could be called late. It is in none of the counts of [`Live`].
    Left,
}

/// Who was asked for a copy's second answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pair {
    /// Control's answer to the client, and the candidate's.
    Candidate,
    /// Control's answer to the client, and a second control process's: what differs is noise.
    Second,
    /// The candidate's answer to the client, and control's.
    Verify,
}

/// One route's sample in a slot. Each request of the sample ends in exactly one of the counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copies {
    pub route: String,
    pub pair: Pair,
    pub same: u64,
    pub mismatched: u64,
    /// Mismatches that say nothing about whose they are: control answered with an error or with 304, and how a server
    /// treats such a request is hardly the function's doing; or the client's public network gave one before.
    #[serde(default)]
    pub no_evidence: u64,
    /// Compared or not, control answered with success: so did the other, or with a status below 500.
    #[serde(default)]
    pub both: u64,
    /// The same, but the other answered with a status from 500 on, or not at all.
    #[serde(default)]
    pub only_control: u64,
    /// The mismatches by the kind of their first difference, as [`Difference::kind`] has it; the rarest may be left out.
    #[serde(default)]
    pub kinds: BTreeMap<String, u64>,
    /// By reason: no copy was made.
    pub dropped: BTreeMap<String, u64>,
    /// By reason: a copy was made, and there was nothing to compare.
    pub not_comparable: BTreeMap<String, u64>,
    /// How long the answers that were compared took in sum, in microseconds: the client's, and the copy's.
    #[serde(default)]
    pub took: u64,
    #[serde(default)]
    pub copy_took: u64,
}

impl Copies {
    /// None so far.
    pub fn new(route: impl Into<String>, pair: Pair) -> Copies {
        Copies {
            route: route.into(),
            pair,
            same: 0,
            mismatched: 0,
            no_evidence: 0,
            both: 0,
            only_control: 0,
            kinds: BTreeMap::new(),
            dropped: BTreeMap::new(),
            not_comparable: BTreeMap::new(),
            took: 0,
            copy_took: 0,
        }
    }
}

/// A mismatch that is kept as an example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    pub route: String,
    pub pair: Pair,
    /// The place of the first difference, without positions: `$.items[*].id`.
    pub kind: String,
    /// `GET /orders?limit=3`.
    pub request: String,
    /// Of target and body together, in bytes.
    pub size: u64,
    /// The first difference, in words.
    pub words: String,
    /// The headers that decide about the form of an answer, such as `accept`. No other header is kept.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// Why the request cannot be sent again from what is here: it had a body, or something in it is hidden.
    #[serde(default)]
    pub not_repeatable: Option<String>,
}

/// A difference that lasted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmed {
    /// [`Pair::Second`]: the twin differed, so it is noise.
    pub pair: Pair,
    pub route: String,
    pub request: String,
    pub words: String,
    /// The network of the client whose request it was, or its key where many clients may have the address, under a name that only
    /// this proxy knows.
    pub client: u64,
    /// Whether that is a network.
    #[serde(default, rename = "is_public")]
    pub is_network: bool,
    /// Control's status.
    pub status: u16,
}

/// Something that counts at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The proxy began, in front of these servers.
    Began { sides: BTreeMap<Side, String> },
    /// Nobody can be reached at a side's address; `false`: again.
    Unreachable { side: Side, is: bool },
    /// Both were asked again, [`CONFIRMATIONS`] times: each time control agreed with its first answer, and the other
    /// differed from it.
    Confirmed(Confirmed),
    /// The proxy halved its sample, as control was slower with it.
    Slowed { from: Part, to: Part, why: String },
    /// The control file cannot be used, and why; `None`: it can again.
    ControlFile { trouble: Option<String> },
    /// The proxy ends.
    Ended,
}

impl Slot {
    /// A side's answers that its processor time paid for: those to clients, and those to copies that were compared.
    pub fn answers_of(&self, side: Side) -> u64 {
        let pair = match side {
            Side::Control => Pair::Verify,
            Side::Candidate => Pair::Candidate,
            Side::Twin => Pair::Second,
        };
        let live = self.live.iter().filter(|live| live.side == side).map(|live| live.answered);
        let copies = self.copies.iter().filter(|copies| copies.pair == pair);
        live.chain(copies.map(|copies| copies.same + copies.mismatched)).sum()
    }

    fn counts_too_much(&self) -> bool {
        let live = self.live.iter().flat_map(|live| [live.answered, live.errors, live.silent]);
        let copies = self.copies.iter().flat_map(|copies| {
            let Copies { same, mismatched, no_evidence, took, copy_took, .. } = *copies;
            let named = [&copies.kinds, &copies.dropped, &copies.not_comparable].into_iter().flat_map(BTreeMap::values);
            [same, mismatched, no_evidence, took, copy_took].into_iter().chain(named.copied())
        });
        let latencies = self.latencies.values().chain(self.copy_latencies.values()).flat_map(Latencies::counts);
        let mut all = live.chain(copies).chain(latencies).chain([self.lasted, self.bad_not_listed]);
        let is_time = |seconds: &f64| (0.0..=MOST_COUNTED as f64).contains(seconds);
        all.any(|count| count > MOST_COUNTED) || !self.processor.values().all(is_time)
    }
}

impl Line {
    /// The line as it stands in a file, with its end.
    ///
    /// # Errors
    /// A number that JSON does not have.
    pub fn to_text(&self) -> serde_json::Result<String> {
        serde_json::to_string(self).map(|text| text + "\n")
    }

    /// # Errors
    /// A text that is no line: it was cut, is of another version, or counts more than a proxy can.
    pub fn parse(text: &str) -> serde_json::Result<Line> {
        let line: Line = serde_json::from_str(text)?;
        match &line.entry {
            Entry::Slot(slot) if slot.counts_too_much() => {
                Err(serde_json::Error::custom("it counts more than a proxy can"))
            }
            _ => Ok(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_is_written_and_has_no_line_break() {
        let mut latencies = Latencies::default();
        latencies.add(std::time::Duration::from_millis(3));
        let slot = Slot {
            latencies: BTreeMap::from([(Side::Twin, latencies)]),
            processor: BTreeMap::from([(Side::Control, 0.25)]),
            bad: vec![Bad {
                kind: BadKind::TimedOut,
                route: "GET /\n".into(),
                side: Side::Candidate,
                weights: Weights::default(),
                client: Some(u64::MAX),
                network: None,
            }],
            ..Slot::default()
        };
        let event = Event::Unreachable { side: Side::Candidate, is: true };
        for entry in [Entry::Slot(slot), Entry::Event(event), Entry::Event(Event::Ended)] {
            let line = Line { number: 7, at: 1_795_406_400_000, entry };
            let text = line.to_text().expect("JSON");
            assert_eq!(text.matches('\n').count(), 1);
            assert_eq!(Line::parse(&text).expect("a line"), line);
            assert!(Line::parse(&text[..text.len() - 3]).is_err());
        }
    }

    #[test]
    fn a_line_that_counts_more_than_a_proxy_can_is_refused() {
        let parse = |slot: Slot| {
            let text = Line { number: 1, at: 0, entry: Entry::Slot(slot) }.to_text().expect("JSON");
            Line::parse(&text).map_err(|error| error.to_string())
        };
        let copies = |same, dropped| Copies {
            same,
            dropped: BTreeMap::from([(NO_LANE.to_owned(), dropped)]),
            ..Copies::new("GET /", Pair::Candidate)
        };
        assert!(parse(Slot { copies: vec![copies(MOST_COUNTED, 0); 2], ..Slot::default() }).is_ok());
        let mut latencies = Latencies::default();
        latencies.add_many(std::time::Duration::from_millis(3), MOST_COUNTED + 1);
        let live = Live { route: "GET /".into(), side: Side::Twin, answered: u64::MAX, errors: 0, silent: 0 };
        for slot in [
            Slot { lasted: u64::MAX, ..Slot::default() },
            Slot { live: vec![live], ..Slot::default() },
            Slot { copies: vec![copies(u64::MAX, 0)], ..Slot::default() },
            Slot { copies: vec![copies(0, u64::MAX)], ..Slot::default() },
            Slot { latencies: BTreeMap::from([(Side::Twin, latencies)]), ..Slot::default() },
            Slot { processor: BTreeMap::from([(Side::Control, -1.0)]), ..Slot::default() },
        ] {
            assert_eq!(parse(slot).as_ref().map_err(String::as_str), Err("it counts more than a proxy can"));
        }
    }

    #[test]
    fn a_side_answers_clients_and_the_copies_of_its_pair() {
        let live = |side, answered| Live { route: "GET /".into(), side, answered, errors: 0, silent: 0 };
        let copies = |pair, same, mismatched| Copies {
            same,
            mismatched,
            dropped: BTreeMap::from([(NO_LANE.to_owned(), 1000)]),
            ..Copies::new("GET /", pair)
        };
        let slot = Slot {
            live: vec![live(Side::Control, 1), live(Side::Candidate, 2), live(Side::Control, 4)],
            copies: vec![copies(Pair::Verify, 10, 20), copies(Pair::Candidate, 40, 80), copies(Pair::Second, 160, 320)],
            ..Slot::default()
        };
        assert_eq!([Side::Control, Side::Candidate, Side::Twin].map(|side| slot.answers_of(side)), [35, 122, 480]);
    }
}
