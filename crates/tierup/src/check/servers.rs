//! Servers: the same requests to each, one after the other, and their answers with the calls that they made.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use tierup_codegen::Command;
use tierup_parity::{Finding, Observation, Seen, diff};
use tierup_runner::{Error, Interrupts, Ready, Server, Start, port};

use super::{
    ask::{Asking, TIMEOUT, ask},
    case,
    found::{Found, Grouped, Shown, grouped},
    matrix::Rules,
    questions::{Origin, Question},
    report::{Detail, Mismatch, NoiseReport, Part, RowReport},
};
use crate::{
    console::Console,
    downstream::{Downstream, Keeping},
    failure::{Failure, Result},
    measure::quoted,
    project::{DownstreamSettings, shown},
};

/// A server to be asked.
pub(super) struct Asked {
    /// `node 3:native`, or an address.
    pub(super) label: String,
    pub(super) kind: Kind,
    /// What of the command line asks this row again, e.g. `--hosts node --tiers 3:native`.
    pub(super) again: String,
}

pub(super) enum Kind {
    /// Started here, given its port.
    Started { command: Box<dyn Fn(u16) -> Result<Command>>, root: PathBuf },
    /// It runs already.
    Standing { address: SocketAddr, authority: String },
}

/// What all servers are asked.
pub(super) struct Servers<'a> {
    pub(super) questions: &'a [Question],
    pub(super) downstream: Option<&'a DownstreamSettings>,
    pub(super) interrupts: &'a Interrupts,
    pub(super) show: usize,
    pub(super) cases: PathBuf,
    /// `tierup check PROJECT`.
    pub(super) again: String,
}

/// How many questions are under way at a time, where nobody has to know which call belongs to which.
const WIDTH: usize = 8;
/// For each answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between the control's two answers at least: a time of day in an answer is often whole seconds.
pub(super) const APART: Duration = Duration::from_millis(1100);
/// How long a server may take to listen, and to end.
const START: Duration = Duration::from_secs(30);
const GRACE: Duration = Duration::from_secs(5);
/// After so many questions one looks whether the server still runs.
const BATCH: usize = 64;
/// So often a server that ended is started again.
const RESTARTS: usize = 5;
/// Why nothing came back, where the server as a whole is gone.
const ENDED: &str = "the server ended";
/// How long to wait for a call that a server makes after its answer, where it seems to have made one.
const SETTLE: Duration = Duration::from_millis(150);
/// How many questions are asked again for that.
const MOST_SUSPECTS: usize = 12;

impl Servers<'_> {
    /// Asks the control twice and every other server once.
    pub(super) fn compare(
        &self,
        control: &Asked,
        others: &[Asked],
        rules: &mut Rules<'_>,
        console: &Console,
    ) -> Result<Part> {
        let all: Vec<&Question> = self.questions.iter().collect();
        let mut session = self.session(control, console)?;
        let first = session.ask(&all, Duration::ZERO)?;
        if let Some((what, log)) = session.trouble.take() {
            return Err(Failure::Plain {
                message: format!("the control, {}, cannot be asked: {what}", control.label),
                output: log,
                hint: Some("every other row is compared with its answers".to_owned()),
            });
        }
        let began = std::time::Instant::now();
        while began.elapsed() < APART && !self.interrupts.arrived() {
            std::thread::sleep(Duration::from_millis(20));
        }
        let second = session.ask(&all, Duration::ZERO)?;
        session.stop();
        let mut noise = NoiseReport::default();
        let mut noisy = vec![false; all.len()];
        for (index, question) in self.questions.iter().enumerate() {
            let is_luck = luck(question, &first[index], &second[index]).is_some();
            let found = rules.noise(Some(&question.request.target), &first[index], &second[index]);
            noisy[index] = !is_luck && !found.is_empty();
            if noisy[index] {
                noise.inputs += 1;
                noise.example.get_or_insert_with(|| question.words().replace('\n', ", "));
                noise.found.join(found);
            }
        }
        // A large request that is refused early may break the connection before the answer is read: an answer that came
        // at one of two times is the control's answer.
        let control_seen: Vec<Observation> =
            first.into_iter().zip(second).map(|(first, second)| settled(first, second)).collect();

        let mut found = Vec::new();
        for other in others {
            found.push(self.found(control, other, &control_seen, rules, console)?);
        }
        let groups = grouped(&found, |index| {
            let question = &self.questions[index];
            Shown { size: question.size(), kind: (question.origin == Origin::Hostile).then_some(&question.what) }
        });
        let not_shown = groups.len().saturating_sub(self.show);
        let shown = groups.iter().take(self.show).enumerate();
        let mismatches = shown
            .map(|(number, group)| self.mismatch(group, number + 1, (&control_seen, &found, others), &noisy, rules));
        let mismatches = mismatches.collect::<Result<Vec<_>>>()?;
        let of = |origin: Origin| self.questions.iter().filter(|question| question.origin == origin).count();
        Ok(Part {
            what: "servers",
            control: control.label.clone(),
            inputs: vec![
                ("from the requests file".to_owned(), of(Origin::File)),
                ("kept".to_owned(), of(Origin::Kept)),
                ("hostile".to_owned(), of(Origin::Hostile)),
            ],
            rows: found
                .iter()
                .map(|found| RowReport::new(found.label.clone(), &found.findings, found.trouble.clone()))
                .collect(),
            left_out: Vec::new(),
            noise,
            mismatches,
            not_shown,
        })
    }

    /// One server's answers, compared with the control's.
    fn found(
        &self,
        control: &Asked,
        other: &Asked,
        control_seen: &[Observation],
        rules: &mut Rules<'_>,
        console: &Console,
    ) -> Result<Found> {
        let all: Vec<&Question> = self.questions.iter().collect();
        let mut session = self.session(other, console)?;
        let mut seen = session.ask(&all, Duration::ZERO)?;
        let find = |rules: &mut Rules<'_>, index: usize, mine: &Observation, theirs: &Observation| {
            let question = &self.questions[index];
            match luck(question, mine, theirs) {
                Some(why) => Finding::Skipped(why.to_owned()),
                None => rules.find(Some(&question.request.target), mine, theirs),
            }
        };
        let mut findings: Vec<Finding> =
            seen.iter().enumerate().map(|(index, theirs)| find(rules, index, &control_seen[index], theirs)).collect();
        // A call that comes late is counted at the next question: both are asked again, with time for it.
        let suspects = self.suspects(control_seen, &seen, &findings);
        if !suspects.is_empty() && session.trouble.is_none() {
            let mut reference = self.session(control, console)?;
            // What was still on its way belongs to nobody now.
            std::thread::sleep(SETTLE);
            for index in suspects {
                let one = [&self.questions[index]];
                let mine = reference.ask(&one, SETTLE)?.remove(0);
                let theirs = session.ask(&one, SETTLE)?.remove(0);
                findings[index] = find(rules, index, &mine, &theirs);
                seen[index] = theirs;
            }
            reference.stop();
        }
        let trouble = session.trouble.take();
        session.stop();
        Ok(Found { label: other.label.clone(), seen, findings, trouble })
    }

    /// Questions at which other calls were made, and those before them.
    fn suspects(&self, control: &[Observation], seen: &[Observation], findings: &[Finding]) -> Vec<usize> {
        let differs = |index: &usize| {
            matches!(findings[*index], Finding::Mismatch(_)) && control[*index].downstream != seen[*index].downstream
        };
        let mut suspects: Vec<usize> = (0..findings.len())
            .filter(differs)
            .flat_map(|index| [index.saturating_sub(1), index])
            .take(MOST_SUSPECTS)
            .collect();
        suspects.dedup();
        suspects
    }

    fn session<'a>(&'a self, asked: &'a Asked, console: &'a Console) -> Result<Session<'a>> {
        let downstream = match (&asked.kind, self.downstream) {
            (Kind::Started { .. }, Some(settings)) => Some(
                Downstream::start(settings, Keeping::Calls)
                    .map_err(|error| Failure::new(format!("the downstream recorder cannot start: {error}")))?,
            ),
            _ => None,
        };
        let mut session =
            Session { asked, interrupts: self.interrupts, downstream, running: None, trouble: None, console };
        session.start()?;
        Ok(session)
    }

    fn mismatch(
        &self,
        group: &Grouped,
        number: usize,
        (control, found, others): (&[Observation], &[Found], &[Asked]),
        noisy: &[bool],
        rules: &Rules<'_>,
    ) -> Result<Mismatch> {
        let question = &self.questions[group.index];
        let row = group.rows[0];
        let mut console = Console::silent();
        let file = case::write_request(&self.cases, &number.to_string(), question, &mut console)?;
        let what = match file {
            Some(file) => format!("--case {}", quoted(&shown(&file))),
            None => "--only servers".to_owned(),
        };
        let words = [&self.again, &others[row].again, &what].map(String::as_str);
        let again = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        Ok(Mismatch {
            rows: group.rows.iter().map(|row| found[*row].label.clone()).collect(),
            alike: group.alike,
            input: question.words(),
            size: question.size(),
            origin: match question.origin {
                Origin::File => format!("request `{}`", question.what),
                Origin::Kept => "kept in corpus/requests".to_owned(),
                Origin::Hostile => "hostile request".to_owned(),
            },
            detail: group.detail.clone(),
            diff: side_by_side(&control[group.index], &found[row].seen[group.index], &group.detail, rules),
            again,
            is_noise: noisy[group.index],
        })
    }
}

/// Why two observations of a hostile request say nothing about each other. A server may refuse a request before all of it
/// was sent, and close; whether its answer is read before the connection breaks is luck (RFC 9112, section 9.6).
fn luck(question: &Question, one: &Observation, other: &Observation) -> Option<&'static str> {
    /// What fits into the buffers of a connection is sent whole.
    const LARGE: usize = 64 << 10;
    if question.origin != Origin::Hostile {
        return None;
    }
    match (&one.seen, &other.seen) {
        (Seen::Nothing(_), Seen::Nothing(_)) => Some("neither server answers"),
        (Seen::Nothing(why), Seen::Answer(answer)) | (Seen::Answer(answer), Seen::Nothing(why))
            if answer.status >= 400 && question.size() > LARGE && why != TIMEOUT && !why.contains(ENDED) =>
        {
            Some("a large request, refused: the connection broke before the answer could be read")
        }
        _ => None,
    }
}

/// What the control says, of two answers of which one may have been lost.
fn settled(first: Observation, second: Observation) -> Observation {
    if matches!(first.seen, Seen::Nothing(_)) && !matches!(second.seen, Seen::Nothing(_)) { second } else { first }
}

/// Both bodies where they differ; where statuses do, what the servers said of it.
fn side_by_side(mine: &Observation, theirs: &Observation, detail: &Detail, rules: &Rules<'_>) -> String {
    if matches!(detail, Detail::Error(_)) {
        return String::new();
    }
    match (&mine.seen, &theirs.seen) {
        (Seen::Answer(mine), Seen::Answer(theirs)) => diff(&mine.body, &theirs.body, &rules.check.policy.bodies),
        _ => String::new(),
    }
}

/// A server while it is asked.
struct Session<'a> {
    asked: &'a Asked,
    interrupts: &'a Interrupts,
    downstream: Option<Downstream>,
    running: Option<Server>,
    trouble: Option<(String, Vec<String>)>,
    console: &'a Console,
}

impl Session<'_> {
    fn start(&mut self) -> Result<()> {
        let Kind::Started { command, root } = &self.asked.kind else { return Ok(()) };
        self.console.status(&format!("servers: starting {}", self.asked.label));
        let port = port::free()?;
        let mut command = command(port)?;
        command.environment.extend(self.downstream.iter().map(Downstream::environment));
        let start = Start { command: &command, root, environment: &[], port, ready: Ready::Accepts, deadline: START };
        match Server::start(&start) {
            Ok(server) => self.running = Some(server),
            Err(Error::Interrupted) => return Err(Failure::Interrupted),
            Err(error) => {
                let what = error.to_string();
                let log = match error {
                    Error::EndedEarly { output, .. } | Error::Unanswered { output, .. } => output,
                    _ => Vec::new(),
                };
                self.trouble = Some((what, log));
            }
        }
        Ok(())
    }

    /// An observation for each question, whatever happens.
    fn ask(&mut self, questions: &[&Question], settle: Duration) -> Result<Vec<Observation>> {
        self.console.status(&format!("servers: {} requests to {}", questions.len(), self.asked.label));
        let mut seen = Vec::with_capacity(questions.len());
        let mut restarts = 0;
        for batch in questions.chunks(BATCH) {
            if self.interrupts.arrived() {
                return Err(Failure::Interrupted);
            }
            let (address, authority) = match (&self.asked.kind, &self.running) {
                (Kind::Standing { address, authority }, _) => (*address, authority.clone()),
                (_, Some(server)) => (server.address(), server.address().to_string()),
                _ => {
                    let nothing = || Observation::of(Seen::Nothing("the server does not run".to_owned()));
                    seen.extend(batch.iter().map(|_| nothing()));
                    continue;
                }
            };
            self.downstream.as_ref().map(Downstream::take);
            let asking = Asking {
                address,
                authority: &authority,
                width: if self.downstream.is_some() { 1 } else { WIDTH },
                patience: PATIENCE,
                downstream: self.downstream.as_ref(),
                settle,
                interrupted: &|| self.interrupts.arrived(),
            };
            let mut observations = ask(&asking, batch)?;
            if self.interrupts.arrived() {
                return Err(Failure::Interrupted);
            }
            if let Some(ending) = self.running.as_mut().and_then(Server::ended) {
                let log = self.running.take().map(|server| server.log()).unwrap_or_default();
                for observation in &mut observations {
                    if let Seen::Nothing(why) = &mut observation.seen {
                        *why = format!("{why}; {ENDED} ({ending})");
                    }
                }
                restarts += 1;
                if restarts > RESTARTS {
                    self.trouble = Some((format!("it ended {restarts} times, the last time with {ending}"), log));
                } else {
                    self.start()?;
                }
            }
            seen.extend(observations);
        }
        Ok(seen)
    }

    fn stop(self) {
        if let Some(server) = self.running {
            server.stop(GRACE);
        }
    }
}
