//! A server in the foreground, which shares tierup's output. Ctrl-C is passed on to it.

use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::{
    Result, http,
    interrupt::Watch,
    port,
    process::{folder, not_started},
    server::stop,
    tree::{Tree, ending},
};

/// The program to run.
#[derive(Debug)]
pub struct Foreground<'a> {
    pub command: &'a tierup_codegen::Command,
    /// A relative folder of the command starts from here.
    pub root: &'a Path,
    pub environment: &'a [(String, String)],
    pub port: u16,
    /// How long the server may take to finish its requests after Ctrl-C.
    pub grace: Duration,
}

/// How a server in the foreground ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// It was asked to exit, and did so in time.
    Stopped,
    /// It was asked to exit, and had to be killed.
    Killed,
    /// It exited by itself; `ending` says how, such as `exit code 1`.
    ByItself { success: bool, ending: String },
}

/// Runs a server until it exits or a signal asks tierup to exit, and leaves none of its processes behind. The signal is
/// passed on to the server, which finishes the requests in flight. A second signal kills it. `ready` is called once,
/// when the port first accepts connections.
///
/// # Errors
/// The port is taken or the program is missing.
pub fn foreground(what: &Foreground<'_>, ready: impl FnOnce()) -> Result<Ended> {
    port::check_free(what.port)?;
    let folder = folder(what.command, what.root)?;
    let mut process = Command::new(&what.command.program);
    process.args(&what.command.arguments).current_dir(folder).stdin(Stdio::null());
    process.envs(what.environment.iter().map(|(name, value)| (name, value)));
    process.envs(what.command.environment.iter().map(|(name, value)| (name, value)));

    let watch = Watch::new();
    let mut tree = Tree::start(&mut process).map_err(|error| not_started(&what.command.program, error))?;
    let mut ready = Some(ready);
    loop {
        if let Ok(Some(status)) = tree.leader.try_wait() {
            return Ok(Ended::ByItself { success: status.success(), ending: ending(status) });
        }
        if watch.arrived() > 0 {
            let stopped = stop(&mut tree, watch.signal(), what.grace, || watch.arrived() > 1);
            return Ok(if stopped { Ended::Stopped } else { Ended::Killed });
        }
        if ready.is_some()
            && http::accepts(what.port).is_some()
            && let Some(ready) = ready.take()
        {
            tree.remember();
            ready();
        }
        thread::sleep(Duration::from_millis(50));
    }
}
