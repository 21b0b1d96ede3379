//! The machine's processes, as Linux shows them in `/proc`.

use std::{collections::HashMap, fs};

use rustix::process::Pid;

use super::MARK;

/// Finds the processes of a tree: those of its group, and those with its mark.
#[derive(Debug)]
pub(crate) struct Members {
    group: Pid,
    mark: String,
    /// Processes that are not in the tree, and when they started: reading an environment takes longer than the rest.
    strangers: HashMap<Pid, u64>,
}

impl Members {
    pub(crate) fn new(group: Pid, mark: &str) -> Members {
        Members { group, mark: mark.to_owned(), strangers: HashMap::new() }
    }

    /// The processes that run now (a zombie does not).
    pub(crate) fn look_up(&mut self) -> Vec<Pid> {
        let mut strangers = HashMap::new();
        let mut is_member = |pid: &Pid| {
            let Some(stat) = Stat::of(*pid) else { return false };
            if matches!(stat.state, 'Z' | 'X') {
                return false;
            }
            if stat.group == self.group.as_raw_nonzero().get() {
                return true;
            }
            let is_known = self.strangers.get(pid) == Some(&stat.started);
            let marked = if is_known { Some(false) } else { is_marked(*pid, &self.mark) };
            if marked == Some(false) {
                strangers.insert(*pid, stat.started);
            }
            marked == Some(true)
        };
        let members = all().filter(|pid| is_member(pid)).collect();
        self.strangers = strangers;
        members
    }
}

fn all() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

/// Fields of a process, from `/proc/<pid>/stat`.
struct Stat {
    state: char,
    group: i32,
    /// In ticks since the machine started: together with the process id, it identifies a process uniquely.
    started: u64,
}

impl Stat {
    /// `pid (name) state parent group …`, where the name may hold anything, `)` too. The start is field 22.
    fn of(pid: Pid) -> Option<Stat> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?.chars().next()?;
        let group = fields.nth(1)?.parse().ok()?;
        let started = fields.nth(16)?.parse().ok()?;
        Some(Stat { state, group, started })
    }
}

/// `None` where the process has no environment at this moment: it is being replaced by another program.
fn is_marked(pid: Pid, mark: &str) -> Option<bool> {
    // Another user's process cannot be read, and is not one of ours.
    let Ok(environment) = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())) else {
        return Some(false);
    };
    let is_marked = environment.split(|byte| *byte == 0).any(|variable| {
        let value = variable.strip_prefix(MARK.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(|value| value.split(|byte| *byte == b':').any(|one| one == mark.as_bytes()))
    });
    (!environment.is_empty()).then_some(is_marked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_is_asked_once() {
        let own = Pid::from_raw(std::process::id() as i32).unwrap();
        // A group without processes.
        let mut members = Members::new(Pid::from_raw(i32::MAX).unwrap(), "a-mark-that-nobody-has");
        assert_eq!(members.look_up(), []);
        let started = Stat::of(own).map(|stat| stat.started);
        assert_eq!(members.strangers.get(&own).copied(), started);
        assert!(started.is_some());
    }
}
