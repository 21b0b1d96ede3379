//! A row of a project as something that the benchmark can start and stop.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use tierup_bench::{
    open_files,
    processors::{Processors, of_this_thread, pin_this_thread},
    record::Trouble,
    subject::{Running, Subject},
};
use tierup_codegen::Command;
use tierup_runner::{Error, Interrupts, Ready, Server, Start, port};

/// How long a server may take to listen.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it may take to end before it is killed, and how long where the user waits for it.
const GRACE: Duration = Duration::from_secs(10);
const HURRIED: Duration = Duration::from_secs(2);

/// A server that is started by a command.
pub(crate) struct Started {
    /// What starts it, given its port.
    pub(crate) command: Box<dyn Fn(u16) -> Result<Command, String>>,
    /// Where a relative folder of the command starts from.
    pub(crate) root: PathBuf,
}

impl Subject for Started {
    fn start(&mut self, pinned: Option<&Processors>) -> Result<Box<dyn Running>, Trouble> {
        let plain = |what: String| Trouble { what, log: Vec::new() };
        let port = port::free().map_err(|error| plain(error.to_string()))?;
        let command = (self.command)(port).map_err(plain)?;
        let start = Start {
            command: &command,
            root: &self.root,
            environment: &[],
            port,
            ready: Ready::Accepts,
            deadline: PATIENCE,
        };
        let interrupts = Interrupts::watch();
        // A process inherits where it may run, and how many files it may open.
        let _as_the_user_has_it = open_files::as_found();
        let before = of_this_thread().filter(|_| pinned.is_some());
        pinned.inspect(|processors| {
            pin_this_thread(&processors.0);
        });
        let server = Server::start(&start);
        before.inspect(|processors| {
            pin_this_thread(&processors.0);
        });
        match server {
            Ok(server) => Ok(Box::new(Here { server, interrupts })),
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
        self.server.stop(if self.interrupts.arrived() { HURRIED } else { GRACE });
    }
}
