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

/// The requests that every server is sent, and what else a comparison of servers needs.
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
    /// The options that ask everything again, for a request that no file can hold.
    pub(crate) everything: String,
}

/// The least time between the control's two answers: a time of day in an answer is often whole seconds.
pub(crate) const APART: Duration = Duration::from_millis(1100);
/// The time to wait for a call after an answer, when a server seems to have made one.
const SETTLE: Duration = Duration::from_millis(150);
/// Maximum number of questions that are asked again for that.
const MOST_SUSPECTS: usize = 12;
/// Maximum number of servers that are asked at a time: each has workers for all processors.
const MOST_AT_A_TIME: usize = 4;

impl Servers<'_> {
    /// Asks the control twice and every other server once.
    pub(crate) fn compare(
        &self,
        control: &LabelledServer,
        others: &[LabelledServer],
        comparison: &mut Comparison,
        observer: &(dyn Observer + Sync),
    ) -> Result<Part> {
        let (first, second) = self.ask_twice(control, observer)?;
        let mut noise = NoiseReport::default();
        let noisy = self.noise(&first, &second, &mut noise, comparison);
        let changing = headers_unlike(&first.seen, &second.seen, &comparison.policy(None).headers, &BTreeSet::new());
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
            mismatches,
            not_shown,
        })
    }

    /// The control's answers, twice, with time between them.
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

    /// What the control's answers differ in from themselves. Returns for each question whether its answers do.
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

    /// The findings of each of the others, which are compared one after the other.
    fn found(
        &self,
        control: &LabelledServer,
        others: &[LabelledServer],
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
                        let asked =
                            other.start(self.service.as_ref(), self.interrupts, observer).and_then(|mut session| {
                                let did = session.pass(all).map_err(failure)?;
                                Ok((session, did))
                            });
                        // The receiver is gone only where a comparison failed, which reports its own error.
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

    /// One server's answers, compared with the control's. It still runs, and is asked again where that is needed.
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
        // A server that does not run makes no calls; its trouble is reported already.
        let effects = if session.trouble().is_some() { None } else { self.surplus(control_did, &did, comparison) };
        // A call that comes late is counted at the next question: both are asked again, with time for it.
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

    /// Calls that the candidate made to others more often, or less often, than the control.
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
}

/// Whether calls to others differ.
fn is_of_calls(finding: &Finding) -> bool {
    matches!(finding, Finding::Mismatch(found) if found.list.iter().any(|one| matches!(one.place, Place::Downstream { .. })))
}
