//! Talks to another process until the time is up or the user interrupts.

use std::{
    io::{self, Read, Write},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::Errno,
};

use crate::Interrupts;

/// How long to wait for an answer.
#[derive(Clone, Copy)]
pub(crate) struct Wait<'a> {
    patience: Duration,
    deadline: Instant,
    interrupts: Option<&'a Interrupts>,
}

impl<'a> Wait<'a> {
    /// How often to check whether the user has interrupted: the signal need not reach the waiting thread.
    const LOOK: Duration = Duration::from_millis(100);

    pub(crate) fn new(patience: Duration, interrupts: Option<&'a Interrupts>) -> Wait<'a> {
        Wait { patience, deadline: Instant::now() + patience, interrupts }
    }

    pub(crate) fn is_interrupted(self) -> bool {
        self.interrupts.is_some_and(Interrupts::arrived)
    }

    /// Reads exactly `count` bytes.
    pub(crate) fn read(self, from: &mut (impl Read + AsFd), count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        let mut filled = 0;
        while filled < count {
            self.until(from, PollFlags::IN)?;
            match from.read(&mut bytes[filled..])? {
                0 => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ended")),
                read => filled += read,
            }
        }
        Ok(bytes)
    }

    /// Writes all of `bytes` into a pipe that [`never_blocks`]: a process that does not read must not block us.
    pub(crate) fn write(self, to: &mut (impl Write + AsFd), mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match to.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.until(to, PollFlags::OUT)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn until(self, pipe: &impl AsFd, ready: PollFlags) -> io::Result<()> {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now()).min(Self::LOOK);
            let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) as _ };
            match poll(&mut [PollFd::from_borrowed_fd(pipe.as_fd(), ready)], Some(&timeout)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(other) => return Err(other.into()),
            }
            if self.is_interrupted() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if Instant::now() >= self.deadline {
                let why = format!("it did not answer within {} s", self.patience.as_secs_f64());
                return Err(io::Error::new(io::ErrorKind::TimedOut, why));
            }
        }
    }
}

/// Makes writes to this end of a pipe fail instead of blocking when the pipe is full. The other end is unchanged.
pub(crate) fn never_blocks(end: impl AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(&end)?;
    Ok(fcntl_setfl(&end, flags | OFlags::NONBLOCK)?)
}
