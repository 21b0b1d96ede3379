//! `tierup serve`: runs the user's server, or the Rust one, at one tier.

use std::{path::PathBuf, sync::Arc, time::Duration};

use clap::Args;
use tierup_codegen::{Host, Row, Variant};
use tierup_project::Loaded;
use tierup_rows::{ProjectHost, build_server, hold, impossible};
use tierup_runner::{Ended, Foreground, Observer as _, foreground, port};

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::{self, open},
};

/// Build what is missing, then start the server at one tier
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".")]
    project: PathBuf,
    /// The host; required only if the project has several
    #[arg(long)]
    host: Option<String>,
    /// A tier (0 to 4), a variant (`2:core`) or a baseline (`0:tuned`, `0:free`) [default: the best supported]
    #[arg(long)]
    tier: Option<Row>,
    /// The port, passed to the server as PORT
    #[arg(long, env = "PORT", default_value_t = 3000, value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
    /// The number of workers, passed to the server and `1:pool` as TIERUP_WORKERS
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    workers: Option<u16>,
}

/// The time limit for requests in flight after Ctrl-C.
const GRACE: Duration = Duration::from_secs(15);

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    // Checked before the build, which may take a minute.
    port::check_free(arguments.port)?;
    let loaded = Arc::new(open(&arguments.project)?);
    let at = hosts::only(&loaded, arguments.host.as_deref())?;
    let ProjectHost { host, settings, .. } = at;
    let row = match &arguments.tier {
        Some(row) => row.clone(),
        None => default_row(&loaded, host),
    };
    let built = at.build_row(row, console)?;
    build_server(&loaded, settings, console)?;

    let mut command = built.command(arguments.port)?;
    let row = built.row;
    if let Some(workers) = arguments.workers {
        command.environment.push(("TIERUP_WORKERS".into(), workers.to_string()));
    }
    // A build at this time would replace files that the server has open.
    let _held = hold(&loaded, console)?;
    let name = &loaded.project.interface.package;
    console.note(&format!("starting {name} at {row}: {command}"));
    let server =
        Foreground { command: &command, root: &loaded.folder, environment: &[], port: arguments.port, grace: GRACE };
    // A Rust server does not need the package.
    let is_own = row != Row::Variant(Variant::Server);
    let missing = is_own.then(|| at.missing_dependency()).flatten();
    let ended = foreground(&server, || {
        console.note(&format!(
            "{name} is listening at tier {row} on http://localhost:{} (Ctrl-C stops it)",
            arguments.port
        ));
        if let Some(missing) = &missing {
            console.note(&format!("warning: it cannot call {name} yet, at any tier: {missing}"));
        }
    })?;
    match ended {
        Ended::Stopped | Ended::ByItself { success: true, .. } => Ok(()),
        Ended::Killed => Err(Failure::new("the server did not stop in time and was killed")),
        Ended::ByItself { success: false, ending } => {
            let message = format!("the server exited unexpectedly ({ending}): {command}");
            Err(Failure::new(message).maybe_hint(missing))
        }
    }
}

/// The best row that this host supports, in its package's order of preference.
fn default_row(loaded: &Loaded, host: &dyn Host) -> Row {
    let order = [Variant::Native, Variant::Core, Variant::Pool];
    let best = order.into_iter().find(|variant| impossible(loaded, host, *variant).is_none());
    best.map_or(Row::Baseline(None), Row::Variant)
}
