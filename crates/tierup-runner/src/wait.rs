//! Reading from another process for no longer than patience, and the user, allow.

use std::{
    io::{self, Read},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};

use crate::Interrupts;

/// How long to wait for an answer.
#[derive(Clone, Copy)]
pub(crate) struct Wait<'a> {
    deadline: Instant,
    interrupts: Option<&'a Interrupts>,
}

impl<'a> Wait<'a> {
    /// How often to look whether the user interrupts: the signal need not reach the thread that waits.
    const LOOK: Duration = Duration::from_millis(100);

    pub(crate) fn new(patience: Duration, interrupts: Option<&'a Interrupts>) -> Wait<'a> {
        Wait { deadline: Instant::now() + patience, interrupts }
    }

    pub(crate) fn is_interrupted(self) -> bool {
        self.interrupts.is_some_and(Interrupts::arrived)
    }

    /// So many bytes, no fewer.
    pub(crate) fn read(self, from: &mut (impl Read + AsFd), count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        let mut filled = 0;
        while filled < count {
            self.for_bytes(from)?;
            match from.read(&mut bytes[filled..])? {
                0 => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ended")),
                read => filled += read,
            }
        }
        Ok(bytes)
    }

    fn for_bytes(self, from: &impl AsFd) -> io::Result<()> {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now()).min(Self::LOOK);
            let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) as _ };
            match poll(&mut [PollFd::from_borrowed_fd(from.as_fd(), PollFlags::IN)], Some(&timeout)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(other) => return Err(other.into()),
            }
            if self.is_interrupted() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if Instant::now() >= self.deadline {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer"));
            }
        }
    }
}
