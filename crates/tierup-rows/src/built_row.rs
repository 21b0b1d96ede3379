//! A built row of a project: the command that starts its server, and the driver that calls its functions.

use std::{sync::Arc, time::Duration};

use tierup_check::service;
use tierup_codegen::{Command, Host, HostSettings, Row, Variant};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_subject::{Calls, Downstream, Started};

use crate::server_folder::programs;

/// How long a server may take to exit before it is killed.
const GRACE: Duration = Duration::from_secs(10);

/// A built row, whose variant is decided.
#[derive(Clone)]
pub struct BuiltRow {
    pub loaded: Arc<Loaded>,
    pub host: &'static dyn Host,
    pub settings: HostSettings,
    pub row: Row,
}

impl BuiltRow {
    /// The row's name, such as `node 3:native`.
    pub fn label(&self) -> String {
        format!("{} {}", self.host.name(), self.row)
    }

    /// The command that starts the row's server, listening on `port`.
    ///
    /// # Errors
    /// The project names no command.
    pub fn command(&self, port: u16) -> Result<Command> {
        let BuiltRow { loaded, host, settings, row } = self;
        let mut command = match row {
            Row::Variant(Variant::Server) => {
                let server = loaded.work.join("bin").join(format!("{}-server", loaded.project.interface.package));
                Command { folder: loaded.folder.clone(), ..Command::new(&server.display().to_string(), []) }
            }
            _ => {
                let [program, rest @ ..] = &settings.start[..] else {
                    return Err(no_server(*host));
                };
                let environment = programs(*host, settings).map(|path| ("PATH".to_owned(), path)).into_iter().collect();
                let command = Command::new(program, rest.iter().map(String::as_str));
                Command { folder: settings.folder.clone(), environment, ..command }
            }
        };
        command.environment.push(("PORT".into(), port.to_string()));
        command.environment.push(("TIERUP_TIER".into(), row.to_string()));
        Ok(command)
    }

    /// The row's server, ready to be started. `with` may change its command before each start, e.g. the environment.
    pub fn server(self, with: impl Fn(&mut Command) + Send + Sync + 'static) -> Started {
        let folder = self.loaded.folder.clone();
        let command = move |port| {
            let mut command = self.command(port).map_err(|failure| failure.to_string())?;
            with(&mut command);
            Ok(command)
        };
        Started::new(command, folder, GRACE)
    }

    /// The row's server, to be profiled under load. A recorder replaces the service that it calls, and `program`
    /// replaces the server's program.
    ///
    /// # Errors
    /// The recorder cannot start.
    pub fn profiled(self, program: Option<String>) -> Result<Started> {
        let downstream = downstream(&self.loaded)?;
        Ok(self.server(move |command| {
            if let Some(program) = &program {
                command.program.clone_from(program);
            }
            command.environment.extend(downstream.iter().map(|downstream| downstream.environment()));
        }))
    }

    /// The command of the driver that calls the row's functions.
    pub(crate) fn driver(&self) -> Command {
        self.host.driver(&self.loaded.project, &self.settings).1
    }
}

/// `[host.NAME]` has no `start`.
pub(crate) fn no_server(host: &dyn Host) -> Failure {
    Failure::usage(format!("[host.{}] of tierup.toml has no `start`, so there is no server", host.name()))
        .hint("--in-process and --only functions need none")
}

/// Starts a recorder that replaces the service that the project's servers call.
pub(crate) fn downstream(loaded: &Loaded) -> Result<Option<Downstream>> {
    let service = loaded.downstream.as_ref().map(service);
    let started = service.map(|service| Downstream::start(&service, Calls::Ignored)).transpose();
    started.map_err(|error| Failure::because("the downstream recorder cannot start", error))
}
