//! Weighs the resources that a row needs at the user's traffic against the price of its steps. In: a [`Record`] and its
//! analysis. Out: cores (or servers, if CPU was not measured), and the row that is worth its steps.
//!
//! A step up the ladder has costs that cannot be measured: another toolchain in the build, another way to fail, another
//! server to run. Its price is the user's `step_cores`. A ratio cannot be compared with that price: twice as fast saves
//! much of ten cores, and nothing of a hundredth of one.

use tierup_report::numbers::{plain, rate, share, short};

use super::{
    evidence::deciding,
    result::{Analysis, Figure, Group},
};
use crate::record::Record;

/// A row that saves less than this share of the reference's need is never worth a step, whatever the price: noise
/// between runs is larger.
const LEAST_SAVED: f64 = 0.02;

/// The traffic, and the need of each row at it.
pub(super) struct Needs<'a> {
    record: &'a Record,
    analysis: &'a Analysis,
    /// Requests per second.
    traffic: f64,
    /// The reference's need.
    reference: f64,
    unit: &'static str,
}

impl<'a> Needs<'a> {
    /// `None` if the reference was not measured.
    pub(super) fn find(record: &'a Record, analysis: &'a Analysis, group: &Group) -> Option<Needs<'a>> {
        let value = |figure| analysis.cell(group.reference, figure).and_then(|cell| cell.value);
        let throughput = value(Figure::Throughput)?;
        let traffic = record.settings.cost.as_ref().map_or(throughput, |cost| cost.peak);
        let (reference, unit) = match value(Figure::CpuPerRequest) {
            Some(microseconds) => (traffic * microseconds / 1e6, "cores"),
            None => (traffic / throughput, "servers"),
        };
        Some(Needs { record, analysis, traffic, reference, unit })
    }

    fn row(&self, row: usize) -> f64 {
        self.reference / gain(self.analysis, row)
    }

    fn step(&self, row: usize) -> f64 {
        f64::from(self.record.rows[row].step)
    }

    /// The row to take. Starts with the row that takes no step and goes upwards; each next row must save more than the
    /// steps between them cost.
    pub(super) fn worth_taking(&self, first: usize, paying: &[usize]) -> usize {
        let mut upwards = paying.to_vec();
        upwards.sort_by(|one, other| {
            self.step(*one).total_cmp(&self.step(*other)).then(self.row(*one).total_cmp(&self.row(*other)))
        });
        upwards.into_iter().fold(first, |best, row| {
            let saved = self.row(best) - self.row(row);
            let price = self.record.settings.step_cores * (self.step(row) - self.step(best));
            if saved >= price && saved >= LEAST_SAVED * self.reference { row } else { best }
        })
    }

    /// The sentence about a row's need at the traffic, and the price of a step.
    pub(super) fn words(&self, row: usize, control: &str) -> String {
        let whose = match self.record.settings.cost {
            Some(_) => "your peak".to_owned(),
            None => format!("the most that {control} carried here"),
        };
        let (needed, all, unit) = (self.row(row), self.reference, self.unit);
        let instead = if needed == all { String::new() } else { format!(" instead of {}", short(all)) };
        format!(
            " At {} req/s, {whose}, it needs {} {unit}{instead}; each step is taken to cost {} {unit} (`step_cores`).",
            rate(self.traffic),
            short(needed),
            plain(self.record.settings.step_cores),
        )
    }

    /// How much less or more one row needs than another: `0.028 cores`.
    pub(super) fn between(&self, row: usize, than: usize) -> String {
        format!("{} {}", short((self.row(than) - self.row(row)).abs()), self.unit)
    }

    /// Why the next step is not worth it: `would save 0.028 cores and cost 0.05`.
    pub(super) fn next(&self, next: usize, than: usize) -> String {
        let saved = self.row(than) - self.row(next);
        let price = self.record.settings.step_cores * (self.step(next) - self.step(than));
        match saved >= price {
            true => format!("would save {}, less than {} of all", self.between(next, than), share(LEAST_SAVED)),
            false => format!("would save {} and cost {}", self.between(next, than), plain(price)),
        }
    }

    /// Whether one row needs clearly less than another.
    pub(super) fn is_less(&self, row: usize, than: usize) -> bool {
        self.row(row) < self.row(than) * 0.99
    }
}

/// How many times better a row is than the reference, by the figure that decides on it.
fn gain(analysis: &Analysis, row: usize) -> f64 {
    let by = deciding(analysis, row);
    let ratio = analysis.cell(row, by).and_then(|cell| cell.ratio).unwrap_or(1.0);
    if by == Figure::CpuPerRequest { 1.0 / ratio } else { ratio }
}
