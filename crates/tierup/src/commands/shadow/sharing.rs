//! The flags for sharing requests with other servers than control: the twin, a client's key, and the state folder with
//! the judge's control file. In: flags, and the project.

use std::{path::PathBuf, str::FromStr};

use clap::Args;
use tierup_project::Loaded;
use tierup_ramp::{Courier, State};
use tierup_rollout::Sticky;
use tierup_rows::sides::Side;

use crate::{
    failure::{Failure, Result},
    store::{StoreFlag, failed},
};

#[derive(Args)]
pub(super) struct Flags {
    /// A second process of control, with which noise and slowness are judged: a row, an address, or `none`
    /// [default: the control's row, started again; none if the control is an address]
    #[arg(long, value_name = "ROW|URL|none")]
    twin: Option<Twin>,
    /// What identifies a client: `cookie:NAME`, `header:NAME` or `address` [default: `sticky` of [rollout];
    /// without either, the control answers every request]
    #[arg(long, value_name = "KEY")]
    pub(super) sticky: Option<Sticky>,
    /// The folder in which `tierup shadow` and `tierup ramp` meet [default: .tierup/rollout of the project; none without
    /// a project]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    #[command(flatten)]
    store: StoreFlag,
}

#[derive(Debug, Clone)]
enum Twin {
    None,
    Is(Side),
}

impl FromStr for Twin {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Twin, String> {
        if text == "none" { Ok(Twin::None) } else { text.parse().map(Twin::Is) }
    }
}

impl Flags {
    /// The twin for this control.
    pub(super) fn twin(&self, control: &Side) -> Option<Side> {
        match (&self.twin, control) {
            (Some(Twin::Is(side)), _) => Some(side.clone()),
            (Some(Twin::None), _) | (None, Side::At(_)) => None,
            (None, Side::Row(_)) => Some(control.clone()),
        }
    }

    /// Begins to keep the state folder in step with the database, if there is one.
    pub(super) fn courier(&self, loaded: Option<&Loaded>) -> Result<Option<Courier>> {
        let Some(url) = self.store.url(loaded)? else { return Ok(None) };
        let Some(state) = self.state(loaded) else {
            return Err(
                Failure::usage("--store needs a folder for what cannot be sent yet").hint("name one with --state")
            );
        };
        Courier::start(&url, State::at(state)).map(Some).map_err(failed)
    }

    pub(super) fn state(&self, loaded: Option<&Loaded>) -> Option<PathBuf> {
        self.state.clone().or_else(|| loaded.map(|loaded| loaded.work.join("rollout")))
    }
}
