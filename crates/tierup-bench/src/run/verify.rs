//! Sends every request to every row once before measuring. In: servers. Out: the requests that make the load, the right
//! answers, and the rows that answer differently.

use std::collections::HashSet;

use tierup_subject::{Readiness, Starting, wait_until_it_answers};

use super::{Error, state::Run};
use crate::{
    examine::{Asking, Comparator, Examined, examine, load_of},
    observer::Event,
    plan::PlannedRow,
    record::Check,
};

impl Run<'_> {
    /// Fills in the load, its order, and the right answers of each row.
    pub(super) fn verify(&mut self, comparator: &mut dyn Comparator) -> Result<(), Error> {
        let mut examined: Vec<Option<Examined>> = Vec::new();
        for index in 0..self.plan.rows.len() {
            if self.observer.interrupted() {
                return Err(Error::Interrupted);
            }
            let requests = &self.plan.requests.requests;
            let PlannedRow { row, subject, .. } = &mut self.plan.rows[index];
            self.observer.sees(&Event::Checking { row: &row.label });
            let pinned = self.plan.processors.as_ref().map(|(servers, _)| servers);
            let interrupted = || self.observer.interrupted();
            let ready =
                Readiness { request: requests.first(), patience: self.plan.patience, interrupted: &interrupted };
            let asking = Asking { requests, patience: self.plan.timeout, interrupted: &interrupted };
            let starting = Starting { pinned, ..Starting::default() };
            let answers = subject.start(&starting).and_then(|mut running| {
                let answers =
                    wait_until_it_answers(&mut *running, &ready).and_then(|()| examine(&mut *running, &asking));
                running.stop();
                answers
            });
            if interrupted() {
                return Err(Error::Interrupted);
            }
            let check = match answers {
                Err(trouble) => {
                    examined.push(None);
                    Check::Failed { trouble }
                }
                Ok(mut answers) => {
                    let compared = self.reference_of(index).and_then(|reference| examined.get(reference)?.as_ref());
                    let check = match compared {
                        Some(reference) => {
                            answers.share(reference);
                            answers.compare(reference, requests, comparator)
                        }
                        None => Check::Alone,
                    };
                    examined.push(Some(answers));
                    check
                }
            };
            self.observer.sees(&Event::Checked { row: &self.plan.rows[index].row.label, check: &check });
            self.record.rows[index].check = check;
        }
        let first = examined.iter().position(Option::is_some).ok_or_else(|| self.nothing())?;
        let reference = self.rate_reference().filter(|row| examined[*row].is_some()).unwrap_or(first);
        let answers = examined[reference].as_ref().map(|row| &row.answers[..]).unwrap_or_default();
        let (load, order) = load_of(answers, &self.plan.requests.order);
        (self.load, self.order) = (load, order);
        if self.load.is_empty() {
            let reference = self.record.rows[reference].label.clone();
            let first = answers.first().map(|answer| answer.status.to_string()).unwrap_or_default();
            return Err(Error::AllRefused { reference, count: answers.len(), first });
        }
        self.record.requests.distinct = self.load.len();
        self.record.requests.repeated = repeated(&self.order);
        self.record.requests.refused = answers.len() - self.load.len();
        let varies = |index: &&usize| examined[reference].as_ref().is_some_and(|row| row.varies(**index));
        self.record.requests.varying = self.load.iter().filter(varies).count();
        self.expected = examined.iter().map(|row| row.as_ref().map(|row| row.expected(&self.load))).collect();
        Ok(())
    }
}

/// The share of these indices that repeat an earlier one.
fn repeated(order: &[u32]) -> f64 {
    let distinct: HashSet<&u32> = order.iter().collect();
    1.0 - distinct.len() as f64 / order.len().max(1) as f64
}
