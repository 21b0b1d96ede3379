//! Counts how often a variant agreed, and gives the resulting verdict.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Finding;

/// One variant's findings, counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    pub same: usize,
    pub mismatch: usize,
    pub error: usize,
    /// How many were skipped, by reason.
    pub skipped: BTreeMap<String, usize>,
}

/// The verdict on a variant, as shown to the user. Only `Alike` is a success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Answers were compared, and all are the same.
    Alike,
    Differs,
    /// No mismatch was found, but something that should have been compared could not be.
    Failed,
    /// All compared answers are the same, but the control answered every good request with an error, which proves
    /// nothing. A tally never gives this verdict; only a caller that knows which requests are good does.
    OnlyErrors,
    /// No request was sent, or all were skipped, which proves nothing.
    NothingCompared,
}

impl Tally {
    pub fn add(&mut self, finding: &Finding) {
        match finding {
            Finding::Same => self.same += 1,
            Finding::Mismatch(_) => self.mismatch += 1,
            Finding::Error(_) => self.error += 1,
            Finding::Skipped(why) => *self.skipped.entry(why.clone()).or_default() += 1,
        }
    }

    /// How many pairs were compared.
    pub fn compared(&self) -> usize {
        self.same + self.mismatch
    }

    pub fn verdict(&self) -> Verdict {
        match self {
            Tally { mismatch: 1.., .. } => Verdict::Differs,
            Tally { error: 1.., .. } => Verdict::Failed,
            Tally { same: 1.., .. } => Verdict::Alike,
            _ => Verdict::NothingCompared,
        }
    }
}

impl<'a> Extend<&'a Finding> for Tally {
    fn extend<I: IntoIterator<Item = &'a Finding>>(&mut self, findings: I) {
        findings.into_iter().for_each(|finding| self.add(finding));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Differences;

    #[test]
    fn only_compared_answers_can_be_alike() {
        let check = |findings: &[Finding], expected| {
            let mut tally = Tally::default();
            tally.extend(findings);
            assert_eq!(tally.verdict(), expected, "{tally:?}");
        };
        let (error, skipped) = (Finding::Error("no answer".into()), Finding::Skipped("not built".into()));
        let mismatch = Finding::Mismatch(Differences::default());
        check(&[], Verdict::NothingCompared);
        check(&[skipped.clone(), skipped.clone()], Verdict::NothingCompared);
        check(&[skipped, Finding::Same], Verdict::Alike);
        check(std::slice::from_ref(&error), Verdict::Failed);
        check(&[Finding::Same, error.clone()], Verdict::Failed);
        check(&[Finding::Same, error, mismatch], Verdict::Differs);
    }
}
