//! A row of a project as something that the benchmark can start and stop.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use tierup_bench::{
    processors::{Processors, of_this_thread, pin_this_thread},
    record::Trouble,
    subject::{Running, Subject},
};
use tierup_codegen::Command;
use tierup_runner::{Error, Ready, Server, Start, port};

/// How long a server may take to listen.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it may take to end before it is killed.
const GRACE: Duration = Duration::from_secs(10);

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
            ready: Ready::Answers("/".to_owned()),
            deadline: PATIENCE,
        };
        // A process inherits where it may run.
        let before = of_this_thread().filter(|_| pinned.is_some());
        pinned.inspect(|processors| {
            pin_this_thread(&processors.0);
        });
        let server = Server::start(&start);
        before.inspect(|processors| {
            pin_this_thread(&processors.0);
        });
        match server {
            Ok(server) => Ok(Box::new(Here(server))),
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
struct Here(Server);

impl Running for Here {
    fn address(&self) -> SocketAddr {
        self.0.address()
    }

    fn authority(&self) -> String {
        self.0.address().to_string()
    }

    fn pid(&self) -> Option<u32> {
        Some(self.0.pid())
    }

    fn log(&self) -> Vec<String> {
        self.0.log()
    }

    fn ended(&mut self) -> Option<String> {
        self.0.ended()
    }

    fn stop(self: Box<Self>) {
        self.0.stop(GRACE);
    }
}
