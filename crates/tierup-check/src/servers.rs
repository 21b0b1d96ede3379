//! Servers: the same requests to each, one after the other, and their answers with the calls that they made.

use std::{
    collections::BTreeSet,
    mem,
    path::PathBuf,
    sync::{
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use tierup_codegen::quoted;
use tierup_diagnostic::{Failure, Result};
use tierup_parity::{Finding, Noise, Observation, Place, Seen, compare, diff};
use tierup_project::shown;
use tierup_requests::Secrets;
use tierup_runner::{Interrupts, Observer};
use tierup_subject::{Ask, Error, Pass, Service, Session, Subject, Watch, race, settled};

use super::{
    case,
    comparison::Comparison,
    effects::{all_calls, surplus},
    found::{Found, Grouped, Shown, grouped},
    headers, masked,
    questions::{Origin, Question},
    report::{Detail, Mismatch, NoiseReport, Part, RowReport},
    statuses::{are_all_errors, statuses},
};

/// A server to be asked.
pub struct Asked {
    /// `node 3:native`, or an address.
    pub label: String,
    pub subject: Box<dyn Subject + Send + Sync>,
    /// What of the command line asks this row again, e.g. `--hosts node --tiers 3:native`.
    pub again: String,
}

/// What all servers are asked.
pub(crate) struct Servers<'a> {
    pub(crate) questions: &'a [Question],
    /// The service that they call.
    pub(crate) service: Option<Service>,
    pub(crate) interrupts: &'a Interrupts,
    pub(crate) secrets: &'a Secrets,
    pub(crate) show: usize,
    pub(crate) cases: PathBuf,
    /// `tierup check PROJECT`.
    pub(crate) again: String,
    /// What else asks all of this again, where a file cannot say what one request was.
    pub(crate) everything: String,
}

/// Between the control's two answers at least: a time of day in an answer is often whole seconds.
pub(crate) const APART: Duration = Duration::from_millis(1100);
/// How long to wait for a call that a server makes after its answer, where it seems to have made one.
const SETTLE: Duration = Duration::from_millis(150);
/// How many questions are asked again for that.
const MOST_SUSPECTS: usize = 12;
/// How many servers are asked at a time at the most: each has workers for all processors.
const MOST_AT_A_TIME: usize = 4;

impl Servers<'_> {
    /// Asks the control twice and every other server once.
    pub(crate) fn compare(
        &self,
        control: &Asked,
        others: &[Asked],
        comparison: &mut Comparison,
        observer: &(dyn Observer + Sync),
    ) -> Result<Part> {
        let all: Vec<Ask<'_>> = self.questions.iter().map(Question::ask).collect();
        let mut session = self.session(control, observer)?;
        let first = session.pass(&all).map_err(failure)?;
        if let Some(trouble) = session.trouble() {
            return Err(Failure::Plain {
                message: format!("the control, {}, cannot be checked: {}", control.label, trouble.what),
                output: trouble.log.clone(),
                hint: Some("every other row is compared with its answers".to_owned()),
            });
        }
        let began = Instant::now();
        while began.elapsed() < APART && !self.interrupts.arrived() {
            thread::sleep(Duration::from_millis(20));
        }
        let second = session.pass(&all).map_err(failure)?;
        session.stop();
        let mut noise = NoiseReport::default();
        let mut noisy = vec![false; all.len()];
        for (index, question) in self.questions.iter().enumerate() {
            let is_race = race(&question.ask(), &first.seen[index], &second.seen[index]).is_some();
            let found = comparison.noise(Some(&question.request.target), &first.seen[index], &second.seen[index]);
            noisy[index] = !is_race && !found.is_empty();
            if noisy[index] {
                noise.inputs += 1;
                noise.example.get_or_insert_with(|| question.words().replace('\n', ", "));
                noise.found.join(found);
            }
        }
        if let Some(what) = self.surplus(&first, &second, comparison) {
            noise.inputs += 1;
            noise.example.get_or_insert_with(|| "all requests together".to_owned());
            noise.found.join(Noise { unsteady: vec![what], ..Noise::default() });
        }
        let changing = headers::unlike(&first.seen, &second.seen, &comparison.policy(None).headers, &BTreeSet::new());
        // A large request that is refused early may break the connection before the answer is read: an answer that came
        // at one of two times is the control's answer.
        let seen = first.seen.into_iter().zip(second.seen).map(|(first, second)| settled(first, second));
        let control_did = Pass { seen: seen.collect(), late: first.late };

        let found = self.found(control, others, (&control_did, &changing), comparison, observer)?;
        let groups = grouped(&found, |index| {
            let question = &self.questions[index];
            Shown { size: question.size(), kind: question.origin.is_made_up().then_some(&question.what) }
        });
        let not_shown = groups.len().saturating_sub(self.show);
        let shown = groups.iter().take(self.show).enumerate();
        let mismatches = shown.map(|(number, group)| {
            self.mismatch(group, number + 1, (&control_did.seen, &found, others), &noisy, comparison)
        });
        let mismatches = mismatches.collect::<Result<Vec<_>>>()?;
        let only_errors = are_all_errors(self.questions, &control_did.seen);
        let of = |origin: Origin| self.questions.iter().filter(|question| question.origin == origin).count();
        Ok(Part {
            what: "servers",
            control: control.label.clone(),
            inputs: Origin::ALL.map(|origin| (origin.kind().to_owned(), of(origin))).to_vec(),
            statuses: statuses(self.questions, &control_did.seen),
            only_errors,
            headers: headers::reports(found.iter().map(|found| (found.label.as_str(), &found.headers))),
            rows: found
                .iter()
                .map(|found| {
                    RowReport::new(found.label.clone(), &found.findings, found.trouble.clone())
                        .with_effects(found.effects.clone())
                        .with_only_errors(only_errors)
                })
                .collect(),
            left_out: Vec::new(),
            noise,
            mismatches,
            not_shown,
        })
    }

    /// What was found at each of the others, which are compared one after the other.
    fn found(
        &self,
        control: &Asked,
        others: &[Asked],
        control_did: (&Pass, &BTreeSet<String>),
        comparison: &mut Comparison,
        observer: &(dyn Observer + Sync),
    ) -> Result<Vec<Found>> {
        let all: Vec<Ask<'_>> = self.questions.iter().map(Question::ask).collect();
        // One that is asked several questions at a time has work for all processors. One that is asked a single question
        // at a time leaves the others idle.
        let at_a_time = match self.service {
            Some(_) => thread::available_parallelism().map_or(1, usize::from).min(MOST_AT_A_TIME),
            None => 1,
        };
        let next = AtomicUsize::new(0);
        // Without room: whoever was asked waits until those before are compared, so that few servers run at a time.
        let (tell, told) = mpsc::sync_channel(0);
        thread::scope(|scope| {
            for _ in 0..at_a_time {
                let (tell, all, next) = (tell.clone(), &all, &next);
                scope.spawn(move || {
                    let numbers = std::iter::repeat_with(|| next.fetch_add(1, Relaxed));
                    for (index, other) in numbers.map_while(|index| Some((index, others.get(index)?))) {
                        let asked = self.session(other, observer).and_then(|mut session| {
                            let did = session.pass(all).map_err(failure)?;
                            Ok((session, did))
                        });
                        // Nobody listens any more where a comparison has failed.
                        if tell.send((index, asked)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(tell);
            let mut found: Vec<Option<Found>> = others.iter().map(|_| None).collect();
            for (index, asked) in told {
                let asked = asked?;
                found[index] =
                    Some(self.compared(control, &others[index], asked, control_did, comparison, observer)?);
            }
            Ok(found.into_iter().flatten().collect())
        })
    }

    /// One server's answers, compared with the control's. It still runs, and is asked again where that is needed.
    fn compared(
        &self,
        control: &Asked,
        other: &Asked,
        (mut session, mut did): (Session<'_>, Pass),
        (control_did, changing): (&Pass, &BTreeSet<String>),
        comparison: &mut Comparison,
        observer: &(dyn Observer + Sync),
    ) -> Result<Found> {
        let mut findings: Vec<Finding> = (0..did.seen.len())
            .map(|index| self.find(comparison, index, &control_did.seen[index], &did.seen[index]))
            .collect();
        // One that does not run makes no calls, which its trouble says already.
        let effects = if session.trouble().is_some() { None } else { self.surplus(control_did, &did, comparison) };
        // A call that comes late is counted at the next question: both are asked again, with time for it.
        let suspects = self.suspects(&control_did.seen, &did.seen, &findings);
        if !suspects.is_empty() && session.trouble().is_none() {
            let mut reference = self.session(control, observer)?;
            let mut before = Vec::new();
            for index in suspects {
                let one = [self.questions[index].ask()];
                let mine = reference.ask(&one, SETTLE).map_err(failure)?.remove(0);
                let theirs = session.ask(&one, SETTLE).map_err(failure)?.remove(0);
                let again = self.find(comparison, index, &mine, &theirs);
                before.push((
                    index,
                    mem::replace(&mut findings[index], again),
                    mem::replace(&mut did.seen[index], theirs),
                ));
            }
            reference.stop();
            // A call that came later than that is not found again, and was made all the same.
            if effects.is_some() && !findings.iter().any(is_of_calls) {
                for (index, finding, seen) in before.into_iter().filter(|(_, finding, _)| is_of_calls(finding)) {
                    findings[index] = finding;
                    did.seen[index] = seen;
                }
            }
        }
        let trouble = session.trouble().map(|trouble| (trouble.what.clone(), trouble.log.clone()));
        session.stop();
        let headers = headers::unlike(&control_did.seen, &did.seen, &comparison.policy(None).headers, changing);
        Ok(Found { label: other.label.clone(), seen: did.seen, findings, effects, headers, trouble })
    }

    fn find(&self, comparison: &mut Comparison, index: usize, mine: &Observation, theirs: &Observation) -> Finding {
        let question = &self.questions[index];
        match race(&question.ask(), mine, theirs) {
            Some(why) => Finding::Skipped(why.to_owned()),
            None => comparison.find(Some(&question.request.target), mine, theirs),
        }
    }

    /// What the candidate did to others more often, or less, than the control.
    fn surplus(&self, control: &Pass, candidate: &Pass, comparison: &Comparison) -> Option<String> {
        let [mine, theirs] =
            [control, candidate].map(|did| all_calls(self.questions, &did.seen, &did.late, comparison));
        surplus(mine, theirs)
    }

    /// Questions at which other calls were made, and those before them. A single question has its calls for itself.
    fn suspects(&self, control: &[Observation], seen: &[Observation], findings: &[Finding]) -> Vec<usize> {
        if findings.len() < 2 {
            return Vec::new();
        }
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

    fn session<'a>(&'a self, asked: &'a Asked, observer: &'a (dyn Observer + Sync)) -> Result<Session<'a>> {
        let watch = Progress { label: &asked.label, observer };
        Session::start(&*asked.subject, self.service.as_ref(), self.interrupts, watch).map_err(failure)
    }

    fn mismatch(
        &self,
        group: &Grouped,
        number: usize,
        (control, found, others): (&[Observation], &[Found], &[Asked]),
        noisy: &[bool],
        comparison: &Comparison,
    ) -> Result<Mismatch> {
        let question = &self.questions[group.index];
        let row = group.rows[0];
        let file = case::write_request(&self.cases, &number.to_string(), question)?;
        let what = match file {
            Some(file) => format!("--case {}", quoted(&shown(&file))),
            None => self.everything.clone(),
        };
        let words = [&self.again, &others[row].again, &what].map(String::as_str);
        let again = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let (mine, theirs) = (&control[group.index], &found[row].seen[group.index]);
        let policy = comparison.policy(Some(&question.request.target));
        let masked = masked::both(mine, theirs, self.secrets);
        let detail = match &masked {
            Some((mine, theirs)) => masked::detail(&group.detail, &compare(mine, theirs, &policy), self.secrets),
            None => group.detail.clone(),
        };
        let (mine, theirs) = masked.as_ref().map_or((mine, theirs), |(mine, theirs)| (mine, theirs));
        Ok(Mismatch {
            rows: group.rows.iter().map(|row| found[*row].label.clone()).collect(),
            alike: group.alike,
            input: question.words(),
            size: question.size(),
            origin: match question.origin {
                Origin::File => format!("request `{}`", question.what),
                Origin::Kept => "kept in corpus/requests".to_owned(),
                Origin::Hostile => "hostile request".to_owned(),
                Origin::Failing => "request of the file, while the downstream fails".to_owned(),
            },
            detail,
            diff: side_by_side(mine, theirs, &group.detail, comparison),
            again,
            is_noise: noisy[group.index],
        })
    }
}

/// What the user sees of a session.
struct Progress<'a> {
    label: &'a str,
    observer: &'a (dyn Observer + Sync),
}

impl Watch for Progress<'_> {
    fn starts(&self) {
        self.observer.status(&format!("servers: starting {}", self.label));
    }

    fn asks(&self, questions: usize) {
        self.observer.status(&format!("servers: {questions} requests to {}", self.label));
    }
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Interrupted => Failure::Interrupted,
        other => Failure::new(other.to_string()),
    }
}

/// Whether calls to others differ.
fn is_of_calls(finding: &Finding) -> bool {
    matches!(finding, Finding::Mismatch(found) if found.list.iter().any(|one| matches!(one.place, Place::Downstream { .. })))
}

/// Both bodies where they differ; where statuses do, what the servers said of it.
fn side_by_side(mine: &Observation, theirs: &Observation, detail: &Detail, comparison: &Comparison) -> String {
    if matches!(detail, Detail::Error(_)) {
        return String::new();
    }
    match (&mine.seen, &theirs.seen) {
        (Seen::Answer(mine), Seen::Answer(theirs)) => diff(&mine.body, &theirs.body, &comparison.policy(None).bodies),
        _ => String::new(),
    }
}
