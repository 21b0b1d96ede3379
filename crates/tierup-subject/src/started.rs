//! A server that is started by a command.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use tierup_codegen::Command;
use tierup_runner::{Error, Interrupts, Ready, Server, Start, port};

use crate::{
    open_files,
    processors::{of_this_thread, pin_this_thread},
    subject::{Running, Starting, Subject, Trouble},
};

/// Time limit for a server to listen.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time limit for a server to end when the user waits for it.
const HURRIED: Duration = Duration::from_secs(2);

/// Makes the command for a port, or tells why it cannot.
type MakeCommand = dyn Fn(u16) -> Result<Command, String> + Send + Sync;

/// A server that is started by a command.
pub struct Started {
    command: Box<MakeCommand>,
    root: PathBuf,
    grace: Duration,
    /// The port, if the server is not free to listen on any.
    port: Option<u16>,
}

impl Started {
    /// `command` makes the command, given the port that the server is to listen on; `root` is where a relative folder of
    /// the command starts from; what still runs after `grace` is killed.
    pub fn new(
        command: impl Fn(u16) -> Result<Command, String> + Send + Sync + 'static,
        root: PathBuf,
        grace: Duration,
    ) -> Started {
        Started { command: Box::new(command), root, grace, port: None }
    }

    /// The same server, which listens on this port.
    #[must_use]
    pub fn on_port(self, port: u16) -> Started {
        Started { port: Some(port), ..self }
    }
}

impl Subject for Started {
    fn start(&self, starting: &Starting<'_>) -> Result<Box<dyn Running>, Trouble> {
        let plain = |what: String| Trouble { what, log: Vec::new() };
        let port = match self.port {
            Some(port) => port,
            None => port::free().map_err(|error| plain(format!("there is no free port: {error}")))?,
        };
        let mut command = (self.command)(port).map_err(plain)?;
        command.environment.extend(starting.environment.iter().cloned());
        let start = Start {
            command: &command,
            root: &self.root,
            environment: &[],
            port,
            ready: Ready::Accepts,
            deadline: PATIENCE,
        };
        let interrupts = Interrupts::watch();
        // The process inherits this limit, and the processors that it may run on.
        let _as_the_user_has_it = open_files::as_found();
        let before = of_this_thread().filter(|_| starting.pinned.is_some());
        starting.pinned.inspect(|processors| {
            pin_this_thread(&processors.0);
        });
        let server = Server::start(&start);
        before.inspect(|processors| {
            pin_this_thread(&processors.0);
        });
        match server {
            Ok(server) => Ok(Box::new(Here { server, interrupts, grace: self.grace })),
            Err(error) => Err(trouble(error)),
        }
    }
}

fn trouble(error: Error) -> Trouble {
    let what = error.to_string();
    match error {
        Error::EndedEarly { output, .. } | Error::Unanswered { output, .. } => Trouble { what, log: output },
        _ => Trouble { what, log: Vec::new() },
    }
}

/// A server that was started here.
struct Here {
    server: Server,
    interrupts: Interrupts,
    grace: Duration,
}

impl Running for Here {
    fn address(&self) -> SocketAddr {
        self.server.address()
    }

    fn authority(&self) -> String {
        self.server.address().to_string()
    }

    fn pid(&self) -> Option<u32> {
        Some(self.server.pid())
    }

    fn log(&self) -> Vec<String> {
        self.server.log()
    }

    fn ended(&mut self) -> Option<String> {
        self.server.ended()
    }

    fn stop(self: Box<Self>) {
        let grace = if self.interrupts.arrived() { self.grace.min(HURRIED) } else { self.grace };
        self.server.stop(grace);
    }
}
