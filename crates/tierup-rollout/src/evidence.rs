//! The lines of an evidence file: one JSON value a line.
//!
//! A proxy appends a [`Slot`] every [`SLOT`] seconds, and [`Difference`]s and [`Event`]s as they happen. Lines are
//! numbered within a file, so that an interrupted reader takes in no line twice. The proxy removes secrets before it
//! writes a line: credentials, and the values that the user hides.

mod copies;

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize, de::Error as _};

use crate::{
    control::Phase,
    latencies::Latencies,
    weights::{Part, Side, Weights},
};
pub use copies::{Confirmed, Copies, Difference, Pair};

/// How long a slot lasts, in seconds. Slots end at multiples of it since 1970 by the proxy's wall clock, so that slots
/// of several proxies cover the same times. A slot is shorter if the control file changes within it.
pub const SLOT: u64 = 5;
/// The most bad answers that a slot lists. If there are more, these are drawn at random, whoever gave them.
pub const MOST_BAD: usize = 1000;

/// The least time after which an answer can count as late.
pub const LATE: Duration = Duration::from_secs(1);

/// How often both sides are asked again before a difference counts as [confirmed](Event::Confirmed). Once is not
/// enough: if one answer in a thousand is odd, an equal candidate is odd twice in four of ten ramps (`docs/judge.md`).
pub const CONFIRMATIONS: u32 = 3;
/// The seconds before each further request. Within milliseconds, a cache would give the same old answer three times.
pub const AGAIN_AFTER: [u64; CONFIRMATIONS as usize] = [1, 15, 60];
/// The largest count in a slot. Real proxies never count so much, and sums of many slots do not overflow.
const MOST_COUNTED: u64 = 1 << 40;

/// Whether control's status is that of an ordinary answer. Otherwise the server around the function may have decided:
/// anybody can send a request with a long header or a condition that two servers treat differently.
pub fn is_ordinary(status: u16) -> bool {
    status < 400 && status != 304
}

/// Why a request with effects has no copy while every lane is taken. It does not count as part of the sample: a lane
/// serves one request at a time, so under load most requests find none, which says nothing against the copied ones.
pub const NO_LANE: &str = "no lane was free";

/// One line of an evidence file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Starts at 1, without gaps.
    pub number: u64,
    /// In milliseconds since 1970, by the proxy's clock. Only people read it; no decision depends on it.
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
    /// The ramp and the generation of the control file in force when the slot began; `None` without a control file.
    pub ramp: Option<String>,
    pub generation: u64,
    pub phase: Option<Phase>,
    /// The weights in force for requests that began in this slot.
    #[serde(default)]
    pub weights: Weights,
    /// In milliseconds, by a monotonic clock.
    pub lasted: u64,
    /// Whether copies were made in this slot. The proxy switches them off now and then, to measure what they cost.
    pub mirroring: bool,
    /// The part of the safe requests that was in the sample, after the proxy's own limits.
    pub sample: Part,
    /// The part of the copies that went to the second control process. It changes between slots only.
    pub second: Part,
    /// Answers to clients.
    pub live: Vec<Live>,
    /// Bad answers to clients, with the weights under which each request was assigned.
    pub bad: Vec<Bad>,
    /// The number of bad answers that are missing from `bad`, because there were more than [`MOST_BAD`].
    pub bad_not_listed: u64,
    /// The clients to which the candidate's answers took [`LATE`] or longer: at most [`MOST_BAD`].
    #[serde(default)]
    pub late: Vec<Witness>,
    /// How long answers to clients took, from the head of the request to the head of the answer, by side.
    pub latencies: BTreeMap<Side, Latencies>,
    /// The response times of copied requests, for each side.
    #[serde(default)]
    pub copy_latencies: BTreeMap<Side, Latencies>,
    /// Processor time by side, in seconds, as far as the processes are known.
    pub processor: BTreeMap<Side, f64>,
    /// The sample, by route.
    pub copies: Vec<Copies>,
}

/// Answers of one side to one route's requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    pub route: String,
    pub side: Side,
    /// The answers with any status.
    pub answered: u64,
    /// How many of them had a status from 500 on.
    pub errors: u64,
    /// Requests that got no answer, or not in time. They are not in `answered`.
    pub silent: u64,
}

/// A bad answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bad {
    pub kind: BadKind,
    pub route: String,
    pub side: Side,
    /// The weights in force when the request was assigned.
    pub weights: Weights,
    /// The client's bucket, if it has one: a ramp counts only the first bad answer of a client. A request without a
    /// bucket was not assigned by chance: its weights are [`Weights::CONTROL_ONLY`].
    pub client: Option<u64>,
    /// The client's network, if it is known: a public address, an address that a trusted proxy reported, or its /64.
    /// All its clients may be one that takes a new key for each request.
    #[serde(default)]
    pub network: Option<u64>,
}

/// The client that got an answer, as far as clients can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Witness {
    /// The bucket of a network, all of whose clients count as one; or of a client, if many may share its address.
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
    /// The client left before its answer could count as late. It is in none of the counts of [`Live`].
    Left,
}

/// Something that the judge takes in at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The proxy started, in front of these servers.
    Began { sides: BTreeMap<Side, String> },
    /// No server answers at a side's address; with `false`, one answers again.
    Unreachable { side: Side, is: bool },
    /// Both sides were asked again [`CONFIRMATIONS`] times: each time control agreed with its first answer, and the
    /// other side differed from it.
    Confirmed(Confirmed),
    /// The proxy halved its sample, because copies made control slower, or doubled it after a quiet time.
    Slowed { from: Part, to: Part, why: String },
    /// Why the control file cannot be used; `None` once it can be used again.
    ControlFile { trouble: Option<String> },
    /// The proxy ends.
    Ended,
}

impl Slot {
    /// How many answers a side's processor time paid for: answers to clients, and compared answers to copies.
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
            let Copies { same, mismatched, no_evidence, both, only_control, took, copy_took, .. } = *copies;
            let named = [&copies.kinds, &copies.dropped, &copies.not_comparable].into_iter().flat_map(BTreeMap::values);
            [same, mismatched, no_evidence, both, only_control, took, copy_took].into_iter().chain(named.copied())
        });
        let latencies = self.latencies.values().chain(self.copy_latencies.values()).flat_map(Latencies::counts);
        let mut all = live.chain(copies).chain(latencies).chain([self.lasted, self.bad_not_listed]);
        let is_time = |seconds: &f64| (0.0..=MOST_COUNTED as f64).contains(seconds);
        all.any(|count| count > MOST_COUNTED) || !self.processor.values().all(is_time)
    }
}

impl Line {
    /// The line as it stands in a file, with its line break.
    ///
    /// # Errors
    /// If a number cannot be written as JSON.
    pub fn to_text(&self) -> serde_json::Result<String> {
        serde_json::to_string(self).map(|text| text + "\n")
    }

    /// # Errors
    /// If the text is not a line: it was cut, has another version, or counts more than a proxy can.
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
            Slot { copies: vec![Copies { both: u64::MAX, ..copies(0, 0) }], ..Slot::default() },
            Slot { latencies: BTreeMap::from([(Side::Twin, latencies)]), ..Slot::default() },
            Slot { processor: BTreeMap::from([(Side::Control, -1.0)]), ..Slot::default() },
        ] {
            assert_eq!(parse(slot).as_ref().map_err(String::as_str), Err("it counts more than a proxy can"));
        }
    }

    #[test]
    fn answers_of_a_side_are_those_to_clients_and_to_copies_of_its_pair() {
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
