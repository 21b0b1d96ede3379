//! Sampling by agents that V8's inspector injects into running processes. In: the processes. Out: the same as from
//! other agents. [`Sampling::Inspector`](tierup_codegen::Sampling::Inspector) says what the inspector evaluates.

mod inspector;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use tierup_codegen::Executable;
use tierup_runner::Interrupts;
use tierup_subject::parent_of;

use self::inspector::Refusal;
use super::{Sampler, agents::Agents, nobody_runs, running};
use crate::{Error, Part, unsampled::ThreadId};

/// How long an agent may take to connect. It cannot connect before the process has finished its computation.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time between two checks for the agent.
const STEP: Duration = Duration::from_millis(20);

pub(super) struct Inspected<'a> {
    of: Executable,
    script: String,
    passed_on_to: &'static str,
    agents: Agents<'a>,
    interrupts: &'a Interrupts,
    /// Processes that are not asked again.
    asked: BTreeSet<u32>,
    /// Processes that may be starting, with the reason for a note. They are asked again at the next block.
    not_yet: BTreeMap<u32, String>,
    left_out: BTreeSet<String>,
    patience: Duration,
}

impl<'a> Inspected<'a> {
    pub(super) fn new(
        of: Executable,
        script: &Path,
        passed_on_to: &'static str,
        folder: &Path,
        interrupts: &'a Interrupts,
    ) -> Result<Inspected<'a>, Error> {
        let agents = Agents::listen(folder, interrupts)?;
        let script = std::fs::read_to_string(script).map_err(Error::NoFolder)?;
        let (asked, not_yet, left_out, patience) = (BTreeSet::new(), BTreeMap::new(), BTreeSet::new(), PATIENCE);
        Ok(Inspected { of, script, passed_on_to, agents, interrupts, asked, not_yet, left_out, patience })
    }

    /// Puts an agent into each process that has none. The processes share the inspector's port, so they take turns.
    fn put(&mut self, pids: &[u32]) -> Result<(), Error> {
        for pid in pids {
            if self.interrupts.arrived() {
                return Err(Error::Interrupted);
            }
            if !self.asked.insert(*pid) {
                continue;
            }
            if self.passes_on(*pid, pids) {
                self.left_out.insert(format!(
                    "process {pid} was not sampled, only its workers: it would open the inspectors of all of them"
                ));
                continue;
            }
            self.not_yet.remove(pid);
            let placed = match inspector::evaluate(*pid, &self.script) {
                Ok(notes) => {
                    self.left_out.extend(notes.into_iter().map(|note| format!("process {pid}: {note}")));
                    self.connected(*pid)?
                }
                Err(Refusal::NotYet(why)) => {
                    self.asked.remove(pid);
                    self.not_yet.insert(*pid, not_sampled(*pid, &why));
                    continue;
                }
                Err(Refusal::Ever(why)) => Err(why),
            };
            if let Err(why) = placed {
                self.left_out.insert(not_sampled(*pid, &why));
            }
        }
        Ok(())
    }

    fn all_left_out(&self) -> impl Iterator<Item = &String> {
        self.left_out.iter().chain(self.not_yet.values())
    }

    fn passes_on(&self, pid: u32, pids: &[u32]) -> bool {
        let is_child = |other: &&u32| parent_of(**other) == Some(pid);
        let start = format!("{}=", self.passed_on_to);
        let has_it = |child: &u32| {
            let environment = std::fs::read(format!("/proc/{child}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(start.as_bytes()))
        };
        pids.iter().filter(is_child).any(has_it)
    }

    /// Waits until the agent of a process has connected.
    fn connected(&mut self, pid: u32) -> Result<Result<(), String>, Error> {
        let deadline = Instant::now() + self.patience;
        while !self.agents.processes()?.contains(&pid) {
            if self.interrupts.arrived() {
                return Err(Error::Interrupted);
            }
            if Instant::now() >= deadline {
                let seconds = self.patience.as_secs();
                return Ok(Err(format!("its event loop did not come round within {seconds} s")));
            }
            thread::sleep(STEP);
        }
        Ok(Ok(()))
    }
}

fn not_sampled(pid: u32, why: &str) -> String {
    format!("process {pid} was not sampled: {why}")
}

impl Sampler for Inspected<'_> {
    fn start(&mut self, pids: &[u32]) -> Result<(), Error> {
        let pids = running(self.of, pids);
        if pids.is_empty() {
            return Err(nobody_runs(self.of));
        }
        self.put(&pids)?;
        self.agents.start(&pids).map_err(|error| match error {
            Error::NoProcess { why: None, log } => Error::NoProcess { why: self.all_left_out().next().cloned(), log },
            error => error,
        })
    }

    fn stop(&mut self) -> Result<Vec<Part>, Error> {
        self.agents.stop()
    }

    fn threads(&self) -> BTreeSet<ThreadId> {
        self.agents.threads()
    }

    fn notes(&self) -> Vec<String> {
        self.all_left_out().cloned().chain(self.agents.notes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    struct Node(Child);

    impl Node {
        fn runs(options: &[&str], script: &str) -> Node {
            let node = Command::new("node")
                .args(options)
                .args(["-e", script])
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn();
            let mut node = Node(node.expect("node can be started"));
            let mut first = [0];
            let out = node.0.stdout.as_mut().expect("it is piped");
            std::io::Read::read_exact(out, &mut first).expect("it says that it runs");
            node
        }
    }

    impl Drop for Node {
        fn drop(&mut self) {
            self.0.kill().expect("a child can be killed");
            self.0.wait().expect("a child can be waited for");
        }
    }

    /// A sampler with an agent that sends its greeting, but never obeys.
    fn sampler<'a>(folder: &Path, interrupts: &'a Interrupts) -> Inspected<'a> {
        let file = folder.join("script.js");
        std::fs::write(&file, "(() => {})()").unwrap();
        let mut sampler = Inspected::new(Executable("node"), &file, "WORKER", folder, interrupts).unwrap();
        sampler.patience = Duration::from_millis(500);
        sampler
    }

    /// The result of `start` for a Node process that runs this script, and the sampler's notes.
    fn started(options: &[&str], script: &str) -> (Result<(), Error>, Vec<String>) {
        let node = Node::runs(options, script);
        let folder = tempfile::tempdir().unwrap();
        let interrupts = Interrupts::watch();
        let mut sampler = sampler(folder.path(), &interrupts);
        let done = sampler.start(&[node.0.id()]);
        (done, sampler.notes())
    }

    /// Uses any free port, as other tests may run at the same time.
    const FREE_PORT: &[&str] = &["--inspect-port=0"];

    #[test]
    fn a_port_of_another_program_is_left_alone() {
        // If binding fails, another program already holds the port, which is as good.
        let _held = std::net::TcpListener::bind(("127.0.0.1", 9229));
        let (done, notes) = started(&[], "console.log(1); setInterval(() => {}, 1000)");
        assert!(done.is_err() && notes[0].contains("another program listens on port 9229"), "{notes:?}");
    }

    #[test]
    fn a_process_whose_agent_does_not_connect_is_left_out() {
        let (done, notes) = started(FREE_PORT, "console.log(1); setInterval(() => {}, 1000)");
        assert!(matches!(done, Err(Error::NoProcess { why: Some(_), .. })), "{done:?}");
        assert!(notes.len() == 1 && notes[0].ends_with("did not come round within 0 s"), "{notes:?}");
    }

    #[test]
    fn a_process_that_uses_the_signal_itself_is_left_out() {
        let (done, notes) =
            started(FREE_PORT, "process.on('SIGUSR1', () => {}); console.log(1); setInterval(() => {}, 1000)");
        assert!(done.is_err() && notes[0].contains("did not open its inspector"), "{notes:?}");
    }
    #[test]
    fn a_starting_process_is_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        // A shell under Node's name, which does not handle the signal, becomes Node.
        let shell = folder.path().join("node");
        std::fs::copy("/bin/sh", &shell).unwrap();
        let becomes = "read line; exec node --inspect-port=0 -e 'console.log(1); setInterval(() => {}, 1000)'";
        let mut node = Command::new(&shell);
        let node = node.args(["-c", becomes]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut node = Node(node.spawn().unwrap());
        let interrupts = Interrupts::watch();
        let mut sampler = sampler(folder.path(), &interrupts);
        assert!(sampler.start(&[node.0.id()]).is_err());
        let notes = sampler.notes();
        assert!(notes.len() == 1 && notes[0].ends_with("does not open its inspector on SIGUSR1"), "{notes:?}");
        drop(node.0.stdin.take());
        std::io::Read::read_exact(node.0.stdout.as_mut().unwrap(), &mut [0]).unwrap();
        assert!(sampler.start(&[node.0.id()]).is_err());
        let notes = sampler.notes();
        assert!(notes.len() == 1 && notes[0].ends_with("did not come round within 0 s"), "{notes:?}");
    }
}
