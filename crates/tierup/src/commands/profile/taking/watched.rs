//! Watches functions of a server in single requests. In: the built server, and the functions. Out: the records of its
//! processes, and the host's data on types.

use std::time::Duration;

use tierup_codegen::{Row, Types, Watch, Watched};
use tierup_requests::Set;
use tierup_rows::hold;
use tierup_runner::Interrupts;
use tierup_sampling::{Private, WitnessPlan, Witnessed, witness as run};

use super::{PATIENCE, TIMEOUT, environment, failure, server::Server};
use crate::{
    console::Console,
    failure::{Failure, Result},
};

/// The functions to watch, and their server.
pub(in crate::commands) struct Watching<'a> {
    pub(in crate::commands) server: &'a Server,
    pub(in crate::commands) row: &'a Row,
    pub(in crate::commands) requests: &'a Set,
    pub(in crate::commands) functions: &'a [Watched],
    /// After this time, a round sends no more requests.
    pub(in crate::commands) longest: Duration,
    /// See [`Watch::calls`].
    pub(in crate::commands) calls: bool,
}

/// The observations.
pub(in crate::commands) struct Sight {
    pub(in crate::commands) witnessed: Witnessed,
    /// The host's data on types, if the witness recorded them.
    pub(in crate::commands) types: Option<Types>,
    /// The salt of hashed values.
    pub(in crate::commands) key: String,
}

impl Watching<'_> {
    /// Starts the server, sends the requests, and stops it. Removes everything that it started or wrote.
    pub(in crate::commands) fn watch(&self, interrupts: &Interrupts, console: &mut Console) -> Result<Sight> {
        let server = self.server;
        let private = Private::new().map_err(|error| Failure::new(error.to_string()))?;
        let key = key();
        let asked = Watch { private: private.path(), key: &key, functions: self.functions, calls: self.calls };
        let witness = server.witness(&asked)?;
        let failed = |error| failure(error, &witness.hint);
        private.prepare(&witness.files, &witness.preparation, console).map_err(failed)?;
        let environment = environment(&witness.environment, &server.settings.folder, interrupts)?;
        let subject = server.subject(self.row, None)?;
        let plan = WitnessPlan {
            subject: &subject,
            private: &private,
            environment: &environment,
            requests: self.requests,
            timeout: TIMEOUT,
            patience: PATIENCE,
            longest: self.longest,
            second: witness.types.is_some() || witness.calls,
        };
        let run = |console: &mut Console| {
            let _held = server.loaded.as_ref().map(|(loaded, _)| hold(loaded, console)).transpose()?;
            run(&plan, interrupts).map_err(failed)
        };
        let witnessed = match witness.in_the_build {
            true => server.with_in_the_build(&environment, console, run)?,
            false => run(console)?,
        };
        private.remove().map_err(|error| Failure::because("cannot remove the witness's files", error))?;
        Ok(Sight { witnessed, types: witness.types, key })
    }
}

/// The failure if a process wrote something that no witness writes.
pub(in crate::commands) fn odd(why: String) -> Failure {
    Failure::new(format!("cannot read what the server's processes wrote: {why}"))
}

/// A random key.
fn key() -> String {
    let bytes: [u8; 32] = rand::random();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
