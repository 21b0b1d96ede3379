//! Compares servers: sends each the same requests, and compares their answers and the calls that they made.

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

use tierup_diagnostic::{Failure, Result};
use tierup_parity::{Finding, Noise, Observation, Place};
use tierup_requests::Secrets;
use tierup_runner::{Interrupts, Observer};
use tierup_subject::{Ask, Pass, Service, Session, race, settled};

use super::{
    asked::{LabelledServer, failure},
    comparison::Comparison,
    effects::{all_calls, surplus},
    found::{Found, Shown, grouped},
    questions::{Origin, Question},
    report::{NoiseReport, Part, RowReport, are_all_errors, header_reports, headers_unlike, statuses},
};

/// The requests for every server, and the settings of the comparison.
pub(crate) struct Servers<'a> {
    pub(crate) questions: &'a [Question],
    /// The stand-in for the service that the servers call.
    pub(crate) service: Option<Service>,
    pub(crate) interrupts: &'a Interrupts,
    pub(crate) secrets: &'a Secrets,
    pub(crate) show: usize,
    pub(crate) cases: PathBuf,
    /// `tierup check PROJECT`.
    pub(crate) again: String,
    /// The options that repeat all requests, if no file can represent a request.
    pub(crate) everything: String,
}

/// The minimum time between the control's two answers, as timestamps in answers often have a resolution of a second.
pub(crate) const APART: Duration = Duration::from_millis(1100);
/// How long to wait after an answer for a late call.
const SETTLE: Duration = Duration::from_millis(150);
/// The most requests that are repeated because of late calls to other services.
const MOST_SUSPECTS: usize = 12;
/// The most servers that run at a time, as each has workers for all processors.
const MOST_AT_A_TIME: usize = 4;

impl Servers<'_> {
    /// Sends the control all requests twice, and every other server once.
    pub(crate) fn compare(
        &self,
        control: &LabelledServer,
        others: &[LabelledServer],
        comparison: &mut Comparison,
        observer: &(dyn Observer + Sync),
    ) -> Result<Part> {
        let began = Instant::now();
        let (first, second) = self.ask_twice(control, observer)?;
        let mut noise = NoiseReport::default();
        let noisy = self.noise(&first, &second, &mut noise, comparison);
        let changing = headers_unlike(&first.seen, &second.seen, &comparison.policy(None).headers, &BTreeSet::new());
        // If a large request is refused early, the connection may break before the answer is read. If only one of two
        // attempts got an answer, that is the control's answer.
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
            seconds: began.elapsed().as_secs_f64(),
            inputs: Origin::ALL.map(|origin| (origin.kind().to_owned(), of(origin))).to_vec(),
            statuses: statuses(self.questions, &control_did.seen),
            only_errors,
            headers: header_reports(found.iter().map(|found| (found.label.as_str(), &found.headers))),
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
            coverage: Vec::new(),
            mismatches,
            not_shown,
        })
    }

    /// The control's answers to two passes, some time apart.
    fn ask_twice(&self, control: &LabelledServer, observer: &(dyn Observer + Sync)) -> Result<(Pass, Pass)> {
        let all: Vec<Ask<'_>> = self.questions.iter().map(Question::ask).collect();
        let mut session = control.start(self.service.as_ref(), self.interrupts, observer)?;
        let first = session.pass(&all).map_err(failure)?;
        if let Some(trouble) = session.trouble() {
            let message = format!("the control, {}, cannot be checked: {}", control.label, trouble.what);
            let failure = Failure::new(message).output(trouble.log.clone());
            return Err(failure.hint("every other row is compared with its answers"));
        }
        let began = Instant::now();
        while began.elapsed() < APART && !self.interrupts.arrived() {
            thread::sleep(Duration::from_millis(20));
        }
        let second = session.pass(&all).map_err(failure)?;
        session.stop();
        Ok((first, second))
    }

    /// Collects the differences between the control's own answers. Returns for each question whether it has any.
    fn noise(&self, first: &Pass, second: &Pass, noise: &mut NoiseReport, comparison: &mut Comparison) -> Vec<bool> {
        let mut noisy = vec![false; self.questions.len()];
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
        if let Some(what) = self.surplus(first, second, comparison) {
            noise.inputs += 1;
            noise.example.get_or_insert_with(|| "all requests together".to_owned());
            noise.found.join(Noise { unsteady: vec![what], ..Noise::default() });
        }
        noisy
    }

    /// The findings of all other servers, which are compared one after the other.
    fn found(
        &self,
        control: &LabelledServer,
        others: &[LabelledServer],
        control_did: (&Pass, &BTreeSet<String>),
        comparison: &mut Comparison,
        observer: &(dyn Observer + Sync),
    ) -> Result<Vec<Found>> {
        let all: Vec<Ask<'_>> = self.questions.iter().map(Question::ask).collect();
        // A server that gets several requests at a time keeps all processors busy. With one request at a time, servers
        // run in parallel.
        let at_a_time = match self.service {
            Some(_) => thread::available_parallelism().map_or(1, usize::from).min(MOST_AT_A_TIME),
            None => 1,
        };
        let next = AtomicUsize::new(0);
        // The channel has no buffer: a server waits until those before it are compared, so few run at a time.
        let (tell, told) = mpsc::sync_channel(0);
        thread::scope(|scope| {
            for _ in 0..at_a_time {
                let (tell, all, next) = (tell.clone(), &all, &next);
                scope.spawn(move || {
                    let numbers = std::iter::repeat_with(|| next.fetch_add(1, Relaxed));
                    for (index, other) in numbers.map_while(|index| Some((index, others.get(index)?))) {
                        let asked =
                            other.start(self.service.as_ref(), self.interrupts, observer).and_then(|mut session| {
                                let did = session.pass(all).map_err(failure)?;
                                Ok((session, did))
                            });
                        // The receiver is gone only if a comparison failed, which returns its own error.
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
                found[index] = Some(self.compared(control, &others[index], asked, control_did, comparison, observer)?);
            }
            Ok(found.into_iter().flatten().collect())
        })
    }

    /// Compares one server's answers with the control's. The server is still running, and gets some requests again.
    fn compared(
        &self,
        control: &LabelledServer,
        other: &LabelledServer,
        (mut session, mut did): (Session<'_>, Pass),
        (control_did, changing): (&Pass, &BTreeSet<String>),
        comparison: &mut Comparison,
        observer: &(dyn Observer + Sync),
    ) -> Result<Found> {
        let mut findings: Vec<Finding> = (0..did.seen.len())
            .map(|index| self.find(comparison, index, &control_did.seen[index], &did.seen[index]))
            .collect();
        // A server that died makes no calls; its trouble is reported already.
        let effects = if session.trouble().is_some() { None } else { self.surplus(control_did, &did, comparison) };
        // A late call counts for the next request, so both requests are repeated, each with a wait for late calls.
        let suspects = self.suspects(&control_did.seen, &did.seen, &findings);
        if !suspects.is_empty() && session.trouble().is_none() {
            let mut reference = control.start(self.service.as_ref(), self.interrupts, observer)?;
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
            // A call may come later still, and miss its repeated request. The first finding counts: the call was made.
            if effects.is_some() && !findings.iter().any(is_of_calls) {
                for (index, finding, seen) in before.into_iter().filter(|(_, finding, _)| is_of_calls(finding)) {
                    findings[index] = finding;
                    did.seen[index] = seen;
                }
            }
        }
        let trouble = session.trouble().map(|trouble| (trouble.what.clone(), trouble.log.clone()));
        session.stop();
        let headers = headers_unlike(&control_did.seen, &did.seen, &comparison.policy(None).headers, changing);
        Ok(Found { label: other.label.clone(), seen: did.seen, findings, effects, headers, trouble })
    }

    fn find(&self, comparison: &mut Comparison, index: usize, mine: &Observation, theirs: &Observation) -> Finding {
        let question = &self.questions[index];
        match race(&question.ask(), mine, theirs) {
            Some(why) => Finding::Skipped(why.to_owned()),
            None => comparison.find(Some(&question.request.target), mine, theirs),
        }
    }

    /// Calls that the candidate made to other services more or less often than the control.
    fn surplus(&self, control: &Pass, candidate: &Pass, comparison: &Comparison) -> Option<String> {
        let [mine, theirs] =
            [control, candidate].map(|did| all_calls(self.questions, &did.seen, &did.late, comparison));
        surplus(mine, theirs)
    }

    /// Requests with different calls to other services, each with the request before. A single one has no late call.
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
}

/// Whether the finding is about calls to other services.
fn is_of_calls(finding: &Finding) -> bool {
    matches!(finding, Finding::Mismatch(found) if found.list.iter().any(|one| matches!(one.place, Place::Downstream { .. })))
}
