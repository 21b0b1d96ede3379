//! What lets other servers than control answer: the twin, the key of a client, and the state folder that the judge writes
//! the control file into. In: flags and `[rollout]`. Out: a [`Sharing`].

use std::{path::PathBuf, str::FromStr, sync::Arc};

use clap::Args;
use tierup_project::{Loaded, RolloutSettings};
use tierup_rollout::{Part, Sticky};
use tierup_rows::sides::Side;
use tierup_shadow::{Address, Mirrored, Pacing, Routes, Sharing, Steering};

use crate::failure::{Failure, Result};

#[derive(Args)]
pub(super) struct Flags {
    /// A second process of control, with which noise and slowness are judged: a row, an address, or `none`
    /// [default: the control's row, started again; none if the control is an address]
    #[arg(long, value_name = "ROW|URL|none")]
    twin: Option<Twin>,
    /// What makes requests one client's: `cookie:NAME`, `header:NAME` or `address` [default: `sticky` of [rollout];
    /// without either, the control answers every request]
    #[arg(long, value_name = "KEY")]
    sticky: Option<Sticky>,
    /// The folder in which `tierup shadow` and `tierup ramp` meet [default: .tierup/rollout of the project; none without
    /// a project]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
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
    /// The twin of this control.
    pub(super) fn twin(&self, control: &Side) -> Option<Side> {
        match (&self.twin, control) {
            (Some(Twin::Is(side)), _) => Some(side.clone()),
            (Some(Twin::None), _) | (None, Side::At(_)) => None,
            (None, Side::Row(_)) => Some(control.clone()),
        }
    }

    /// The state folder.
    pub(super) fn state(&self, loaded: Option<&Loaded>) -> Option<PathBuf> {
        self.state.clone().or_else(|| loaded.map(|loaded| loaded.work.join("rollout")))
    }

    /// What is mirrored where there is no control file. A flag outranks `[rollout]`.
    pub(super) fn mirrored(&self, loaded: Option<&Loaded>, sample: Option<f64>, twin: Option<&Address>) -> Mirrored {
        let default = RolloutSettings::default();
        let rollout = loaded.map_or(&default, |loaded| &loaded.rollout);
        let second = twin.map_or(Part::NONE, |_| rollout.second);
        Mirrored { sample: sample.map_or(rollout.sample, |_| Part::ALL), second, ..Mirrored::default() }
    }

    /// Follows the control file of a state folder. Without one, control answers every request. Of requests that
    /// are not safe, those of `routes` are shared: the calls that they cause are compared.
    pub(super) fn sharing(
        &self,
        loaded: Option<&Loaded>,
        [candidate, twin]: [Option<&Address>; 2],
        routes: Routes,
        pacing: Pacing,
    ) -> Result<Option<Sharing>> {
        let Some(state) = self.state(loaded) else { return Ok(None) };
        let default = RolloutSettings::default();
        let rollout = loaded.map_or(&default, |loaded| &loaded.rollout);
        let sticky = self.sticky.clone().or_else(|| rollout.sticky.clone());
        // What a candidate changes whose data is apart from control's would be lost to the user.
        let routes = if rollout.isolated { Routes::default() } else { routes };
        let steering = Steering::follow(state.join("control"), sticky, routes, pacing)
            .map_err(|error| Failure::new(format!("cannot follow the control file: {error}")))?;
        Ok(Some(Sharing { candidate: candidate.cloned(), twin: twin.cloned(), steering: Arc::new(steering) }))
    }
}
