//! `--store`, and `store` of `[rollout]`: the database that proxies and judges of a rollout share.

use std::{thread, time::Instant};

use clap::Args;
use tierup_project::Loaded;
use tierup_ramp::{Database, LOOK, Lease, ROUND};
use tierup_rollout::StoreUrl;
use tierup_runner::{Interrupts, Observer as _};

use crate::{
    console::Console,
    failure::{Failure, Result},
};

#[derive(Args, Default)]
pub(crate) struct StoreFlag {
    /// The Postgres that all proxies and judges of the rollout share, `postgres://USER@HOST/DATABASE` without a password
    /// [default: `store` of [rollout]; without either, the state folder]
    // A text, as an error of clap would repeat a password.
    #[arg(long, value_name = "URL")]
    store: Option<String>,
}

impl StoreFlag {
    pub(crate) fn url(&self, loaded: Option<&Loaded>) -> Result<Option<StoreUrl>> {
        let Some(text) = &self.store else { return Ok(loaded.and_then(|loaded| loaded.rollout.store.clone())) };
        let url = text.parse().map_err(|error: tierup_rollout::StoreUrlError| {
            Failure::usage(format!("--store: {error}")).hint(error.hint())
        })?;
        Ok(Some(url))
    }

    pub(crate) fn database(&self, loaded: Option<&Loaded>) -> Result<Option<Database>> {
        self.url(loaded)?.map(|url| Database::connect(&url).map_err(failed)).transpose()
    }
}

pub(crate) fn failed(error: tierup_ramp::Error) -> Failure {
    Failure::new(error.to_string()).maybe_hint(error.hint())
}

/// Waits until no other judge has the lease. The `bool` says whether one began a ramp meanwhile.
pub(crate) fn lease(database: &Database, interrupts: &Interrupts, console: &Console) -> Result<(Lease, bool)> {
    let (before, mut has_waited) = (database.ramp().map_err(failed)?, false);
    loop {
        match database.take() {
            Ok(Some(lease)) => return Ok((lease, database.ramp().map_err(failed)? != before)),
            Ok(None) => {
                let holder = database.holder().ok().flatten().unwrap_or_default();
                console.note_once(&format!("the judge {holder} has the lease: this one waits for it"));
            }
            Err(error) if has_waited => console.note_once(&format!("warning: {error}")),
            Err(error) => return Err(failed(error)),
        }
        has_waited = true;
        pause(interrupts)?;
    }
}

/// Waits for as long as a round of the judge takes.
///
/// # Errors
/// If the operator interrupts.
pub(crate) fn pause(interrupts: &Interrupts) -> Result<()> {
    let began = Instant::now();
    while began.elapsed() < ROUND {
        if interrupts.arrived() {
            return Err(Failure::Interrupted);
        }
        thread::sleep(LOOK);
    }
    Ok(())
}
