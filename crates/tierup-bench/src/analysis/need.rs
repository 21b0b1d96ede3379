//! What a row needs at the traffic that the user has, beside what its steps cost. In: a [`Record`] and its analysis. Out:
//! cores (or servers, where CPU was not measured), and the row that is worth its steps.
//!
//! A step up the ladder costs something that nobody has measured: another toolchain in the build, another way to fail,
//! another server to run. Its price is the user's `step_cores`. A ratio cannot be compared with it: twice as fast is much
//! of ten cores, and nothing of a hundredth of one.

use tierup_report::numbers::{plain, rate, share, short};

use super::{
    evidence::deciding,
    result::{Analysis, Figure, Group},
};
use crate::record::Record;

/// What saves less than this share of the reference's need is never worth a step, whatever its price: noise between runs
/// is larger.
const LEAST_SAVED: f64 = 0.02;

/// The traffic, and what each row needs for it.
pub(super) struct Needs<'a> {
    record: &'a Record,
    analysis: &'a Analysis,
    /// Requests a second.
    traffic: f64,
    /// What the reference needs.
    reference: f64,
    unit: &'static str,
}

impl<'a> Needs<'a> {
    /// `None` where the reference was not measured.
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

    /// The row to take, from the one that takes no step upwards: each must save more than the steps between cost.
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

    /// What a row needs at the traffic, and the price of a step.
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

    /// How much one row needs less or more than another: `0.028 cores`.
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

/// How many times better than the reference, by what decides on the row.
fn gain(analysis: &Analysis, row: usize) -> f64 {
    let by = deciding(analysis, row);
    let ratio = analysis.cell(row, by).and_then(|cell| cell.ratio).unwrap_or(1.0);
    if by == Figure::CpuPerRequest { 1.0 / ratio } else { ratio }
}
