//! Where a judge's memory, the proxies' evidence and an order to abort are: in the state folder, or in Postgres.
//!
//! The rest of this crate knows only [`Store`]. A change reaches the store as a whole or not at all, so a judge that is
//! killed at any moment goes on unchanged: no line of evidence counts twice, and no decision that took effect is lost.

pub(crate) mod embedded;

use std::{collections::BTreeMap, time::Duration};

use tierup_rollout::{Phase, files::Keeping};

pub(crate) use embedded::Embedded;

use crate::{
    Decided, Error, Result,
    evidence_files::News,
    known::{Mind, Saved},
    stored::{Costs, Source},
};

/// Everything that one round changed.
#[derive(Debug)]
pub(crate) struct Change<'a> {
    pub(crate) saved: &'a Saved,
    pub(crate) mind: &'a Mind,
    pub(crate) sources: BTreeMap<&'a str, &'a Source>,
    pub(crate) costs: Costs,
    pub(crate) decided: Option<&'a Decided>,
}

pub(crate) trait Store: Send {
    /// The latest ramp. A rolled-back ramp needs no judge, so its `Mind` may be unreadable (`None`).
    ///
    /// # Errors
    /// If it cannot be read, or no judge wrote it.
    fn ramp(&self) -> Result<Option<(Saved, Option<Mind>)>>;

    /// The evidence files that were read so far, by name.
    ///
    /// # Errors
    /// If they cannot be read, or no judge wrote them.
    fn sources(&mut self) -> Result<BTreeMap<String, Source>>;

    /// The decisions after this number, in order.
    ///
    /// # Errors
    /// If they cannot be read, or no judge wrote them.
    fn decisions_after(&self, number: u64) -> Result<Vec<Decided>>;

    /// The number of the next decision.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn next_number(&self) -> Result<u64>;

    /// Answers and processor time of a ramp's sides, by hour.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn costs(&self, ramp: &str) -> Result<Costs>;

    /// Writes the whole change, or nothing. When it returns, the change is on the disk.
    ///
    /// # Errors
    /// If the write failed, for example because the disk is full.
    fn write(&mut self, change: &Change<'_>) -> Result<()>;

    /// The evidence after these positions, or a part of it.
    ///
    /// # Errors
    /// If it cannot be read.
    fn news(&mut self, sources: &BTreeMap<String, Source>) -> Result<Vec<News>>;

    /// Removes evidence that is not kept, and returns the names of the files that the judge can forget. `since_1970` is
    /// the time now.
    ///
    /// # Errors
    /// If something cannot be removed.
    fn clean(&mut self, keeping: &Keeping, since_1970: Duration) -> Result<Vec<String>>;

    /// Whether somebody left an order to abort, for a judge that did not answer when it was given.
    fn is_abort_ordered(&self) -> bool;

    /// Removes the order to abort, which was obeyed or belongs to an earlier ramp.
    fn forget_abort(&mut self);

    /// Makes the next changes fail, as on a read-only disk, or succeed again.
    #[cfg(test)]
    fn refuse(&self, _: bool) {
        panic!("only the embedded store can");
    }
}

/// A ramp that was read, and the text of its mind.
pub(crate) fn recalled(saved: Saved, mind: &str) -> Result<(Saved, Option<Mind>)> {
    let weights = saved.weights;
    if weights.twin > weights.candidate.rest() {
        return Err(wrong("weight"));
    }
    let mind = match serde_json::from_str::<Mind>(mind) {
        read if saved.phase == Phase::RolledBack => read.ok(),
        Ok(mind) if mind.judge.at() == weights.candidate => Some(mind),
        Ok(_) => return Err(wrong("weight")),
        Err(error) => return Err(Error::Damaged(format!("the judge: {error}"))),
    };
    Ok((saved, mind))
}

fn wrong(what: &str) -> Error {
    Error::Damaged(format!("the ramp's {what} is not what a judge wrote"))
}

pub(crate) fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Damaged(error.to_string()))
}
