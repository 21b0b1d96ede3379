//! The server of a row, to be started.

use std::{sync::Arc, time::Duration};

use tierup_build::rows;
use tierup_codegen::{Command, Host, HostSettings, Row};
use tierup_project::Loaded;
use tierup_subject::Started;

/// How long a server may take to end before it is killed.
const GRACE: Duration = Duration::from_secs(10);

/// The server of a built row. `with` may change its command, say the environment, before each start.
pub fn server(
    loaded: &Arc<Loaded>,
    host: &'static dyn Host,
    settings: &HostSettings,
    row: &Row,
    with: impl Fn(&mut Command) + Send + Sync + 'static,
) -> Started {
    let (owned, settings, row) = (Arc::clone(loaded), settings.clone(), row.clone());
    let command = move |port| {
        let mut command = rows::command(&owned, host, &settings, &row, port).map_err(|failure| failure.to_string())?;
        with(&mut command);
        Ok(command)
    };
    Started::new(command, loaded.folder.clone(), GRACE)
}
