//! Sampling by agents: code in the server's own processes and threads that connects to a Unix socket and obeys
//! commands. [`Sampling::Agent`](tierup_codegen::Sampling::Agent) documents the protocol.

use std::{
    collections::BTreeSet,
    fs::Permissions,
    io::{self, ErrorKind, Read as _, Write as _},
    os::unix::{
        fs::PermissionsExt as _,
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tierup_codegen::SOCKET;
use tierup_runner::Interrupts;

use super::{Sampler, read};
use crate::{Error, Part, unsampled::ThreadId};

/// How long an agent may take to answer. A thread that computes answers only when it is done.
const PATIENCE: Duration = Duration::from_secs(20);
/// While tierup waits for an agent, it checks the clock and Ctrl-C this often.
const LOOK: Duration = Duration::from_millis(100);
/// The longest line that an agent may send, in bytes. The longest are reasons for a failure.
const LONGEST_LINE: usize = 1 << 16;

pub(crate) struct Agents<'a> {
    listener: UnixListener,
    folder: PathBuf,
    interrupts: &'a Interrupts,
    agents: Vec<Agent>,
    /// Notes about processes and threads that are not sampled.
    left_out: BTreeSet<String>,
}

struct Agent {
    stream: UnixStream,
    /// The beginning of a line that has not arrived whole.
    received: Vec<u8>,
    process: u32,
    thread: u64,
    /// The kernel's id of the thread, if the agent has sent it.
    thread_id: Option<u32>,
    /// Whether the agent can make its thread inline less.
    names_inlined: bool,
}

impl<'a> Agents<'a> {
    /// Listens in the private folder, before the server is started.
    pub(crate) fn listen(folder: &Path, interrupts: &'a Interrupts) -> Result<Agents<'a>, Error> {
        let path = folder.join(SOCKET);
        let listener = UnixListener::bind(&path).map_err(Error::Socket)?;
        // The permissions of the folder decide who reaches the socket. The server's user must, even if tierup is root.
        std::fs::set_permissions(&path, Permissions::from_mode(0o666)).map_err(Error::Socket)?;
        listener.set_nonblocking(true).map_err(Error::Socket)?;
        let folder = folder.to_owned();
        Ok(Agents { listener, folder, interrupts, agents: Vec::new(), left_out: BTreeSet::new() })
    }

    /// The processes that have an agent.
    pub(super) fn processes(&mut self) -> Result<BTreeSet<u32>, Error> {
        self.accept()?;
        Ok(self.agents.iter().map(|agent| agent.process).collect())
    }

    /// Accepts all agents that have connected since the last call.
    fn accept(&mut self) -> Result<(), Error> {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => match self.greeted(stream) {
                    Ok(agent) => self.agents.push(agent),
                    Err(error) if error.kind() == ErrorKind::Interrupted => return Err(Error::Interrupted),
                    Err(error) if has_ended(&error) => {}
                    Err(error) => {
                        self.left_out.insert(format!("a process or thread was not sampled: {error}"));
                    }
                },
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::Socket(error)),
            }
        }
    }

    fn greeted(&self, stream: UnixStream) -> io::Result<Agent> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(LOOK))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut agent =
            Agent { stream, received: Vec::new(), process: 0, thread: 0, thread_id: None, names_inlined: false };
        let hello = agent.line(self.interrupts)?;
        let mut words = hello.strip_prefix("hello ").unwrap_or_default().split(' ');
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
        let (process, thread) = number().zip(number()).ok_or(ErrorKind::InvalidData)?;
        agent.process = u32::try_from(process).map_err(|_| ErrorKind::InvalidData)?;
        agent.thread = thread;
        agent.thread_id = number().and_then(|id| u32::try_from(id).ok());
        agent.names_inlined = words.next() == Some("names");
        Ok(agent)
    }

    /// Keeps the agents that answered as expected, and returns their answers. Ended processes are dropped silently.
    fn keep<T>(&mut self, asked: Vec<(Agent, io::Result<T>)>) -> Result<Vec<T>, Error> {
        let mut answers = Vec::new();
        for (agent, answer) in asked {
            match answer {
                Ok(answer) => {
                    answers.push(answer);
                    self.agents.push(agent);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(Error::Interrupted),
                Err(error) if has_ended(&error) => {}
                Err(error) => {
                    let which = format!("process {}, thread {}", agent.process, agent.thread);
                    self.left_out.insert(format!("{which} was not sampled: {error}"));
                }
            }
        }
        Ok(answers)
    }
}

/// Whether the agent's process has ended.
fn has_ended(error: &io::Error) -> bool {
    // The connection is reset if the process ended before it had read all of its commands.
    matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
}

impl Sampler for Agents<'_> {
    fn start(&mut self, _pids: &[u32]) -> Result<(), Error> {
        self.accept()?;
        let mut agents = std::mem::take(&mut self.agents);
        // All agents get the command before any answer is awaited, so that they begin at about the same time.
        let told: Vec<_> = agents.iter_mut().map(|agent| agent.tell("start")).collect();
        let interrupts = self.interrupts;
        let asked = agents.into_iter().zip(told).map(|(mut agent, told)| {
            let started = told.and_then(|()| agent.answer("started", interrupts));
            (agent, started.map(drop))
        });
        let asked = asked.collect();
        self.keep(asked)?;
        if self.agents.is_empty() {
            return Err(Error::NoProcess { why: self.left_out.first().cloned(), log: Vec::new() });
        }
        Ok(())
    }

    fn stop(&mut self) -> Result<Vec<Part>, Error> {
        let mut agents = std::mem::take(&mut self.agents);
        let files: Vec<PathBuf> =
            (0..agents.len()).map(|number| self.folder.join(format!("profile-{number}"))).collect();
        let tell = |(agent, file): (&mut Agent, &PathBuf)| agent.tell(&format!("stop {}", file.display()));
        let told: Vec<_> = agents.iter_mut().zip(&files).map(tell).collect();
        let interrupts = self.interrupts;
        let asked = agents.into_iter().zip(told).zip(&files).map(|((mut agent, told), file)| {
            let part = told.and_then(|()| agent.answer("stopped ", interrupts)).and_then(|counted| {
                let profile = read(file).map_err(io::Error::other)?;
                let mut numbers = counted.split(' ').map(|word| word.parse::<u64>().ok());
                let cpu = numbers.next().flatten().map(Duration::from_micros);
                let allocated = numbers.next().flatten();
                Ok(Part { process: Some(agent.process), thread: Some(agent.thread), cpu, allocated, profile })
            });
            (agent, part)
        });
        let asked = asked.collect();
        self.keep(asked)
    }

    fn name_inlined(&mut self) -> Result<bool, Error> {
        let interrupts = self.interrupts;
        let (able, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.agents).into_iter().partition(|agent| agent.names_inlined);
        self.agents = others;
        let asked = able.into_iter().map(|mut agent| {
            let named = agent.tell("name").and_then(|()| agent.answer("named", interrupts));
            (agent, named)
        });
        let asked = asked.collect();
        Ok(!self.keep(asked)?.is_empty())
    }

    fn threads(&self) -> BTreeSet<ThreadId> {
        self.agents.iter().filter_map(|agent| Some((agent.process, agent.thread_id?))).collect()
    }

    fn notes(&self) -> Vec<String> {
        self.left_out.iter().cloned().collect()
    }
}

impl Agent {
    fn tell(&mut self, line: &str) -> io::Result<()> {
        self.stream.write_all(format!("{line}\n").as_bytes())
    }

    /// Reads a line that begins with `expected`, and returns the rest of it.
    fn answer(&mut self, expected: &str, interrupts: &Interrupts) -> io::Result<String> {
        let line = self.line(interrupts)?;
        match line.strip_prefix(expected) {
            Some(rest) => Ok(rest.to_owned()),
            None => Err(io::Error::other(line.strip_prefix("failed ").unwrap_or(&line).to_owned())),
        }
    }

    fn line(&mut self, interrupts: &Interrupts) -> io::Result<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut buffer = [0; 4096];
        loop {
            if let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.received.drain(..=end).collect();
                return Ok(String::from_utf8_lossy(&line[..end]).into_owned());
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.received.extend_from_slice(&buffer[..count]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if Instant::now() >= deadline {
                        let seconds = PATIENCE.as_secs();
                        return Err(io::Error::other(format!("it did not answer within {seconds} s")));
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if self.received.len() > LONGEST_LINE {
                return Err(ErrorKind::InvalidData.into());
            }
            if interrupts.arrived() {
                return Err(ErrorKind::Interrupted.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Connects as an agent does, and sends its greeting.
    fn connected(folder: &Path, process: u32) -> UnixStream {
        let mut stream = UnixStream::connect(folder.join(SOCKET)).unwrap();
        stream.write_all(format!("hello {process} 1\n").as_bytes()).unwrap();
        stream
    }

    #[test]
    fn an_ended_agent_is_ignored_and_an_invalid_one_is_noted() {
        let folder = tempfile::tempdir().unwrap();
        let interrupts = Interrupts::watch();
        let mut agents = Agents::listen(folder.path(), &interrupts).unwrap();
        let (ended, mut lives) = (connected(folder.path(), 7), connected(folder.path(), 8));
        agents.accept().unwrap();
        // This agent ends while `start` is still in its buffer, so that Linux resets the connection.
        let mut agent = agents.agents.remove(0);
        agent.tell("start").unwrap();
        drop(ended);
        let answer = agent.answer("started", &interrupts);
        assert!(agents.keep(vec![(agent, answer)]).unwrap().is_empty() && agents.notes().is_empty());
        lives.write_all(b"started\n").unwrap();
        let mut stranger = UnixStream::connect(folder.path().join(SOCKET)).unwrap();
        stranger.write_all(b"good day\n").unwrap();
        agents.start(&[]).unwrap();
        assert_eq!(agents.agents.iter().map(|agent| agent.process).collect::<Vec<_>>(), [8]);
        assert_eq!(agents.notes(), ["a process or thread was not sampled: invalid data"]);
    }
}
