//! On systems other than Unix, a tree is only the program itself. It can be killed, but not asked to exit.

use std::{
    io,
    process::{Child, Command, ExitStatus},
    thread,
    time::{Duration, Instant},
};

use super::Signal;

#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) leader: Child,
    released: bool,
}

impl Tree {
    pub(crate) fn start(command: &mut Command) -> io::Result<Tree> {
        super::mark(command);
        Ok(Tree { leader: command.spawn()?, released: false })
    }

    pub(crate) fn remember(&self) {}

    pub(crate) fn ask_leader(&mut self, _signal: Signal) {
        self.kill_all();
    }

    pub(crate) fn ask_all(&self, _signal: Signal) {}

    pub(crate) fn wait_all(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        while matches!(self.leader.try_wait(), Ok(None)) {
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(Duration::from_millis(20));
        }
        true
    }

    pub(crate) fn kill_all(&mut self) {
        let _ = self.leader.kill();
        let _ = self.leader.wait();
    }

    pub(crate) fn release(&mut self) {
        self.released = true;
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if !self.released {
            self.kill_all();
        }
    }
}

pub(crate) fn ending(status: ExitStatus) -> String {
    status.to_string()
}
