//! The machine's processes, as listed in Linux's `/proc`.

use std::{collections::HashMap, fs};

use rustix::process::Pid;

use super::MARK;

/// Finds the processes of a tree: those of its group, those with its mark, descendants of members, and those that were
/// found before. A program may leave the group (`setsid`) and overwrite its environment (with a title, as PHP-FPM
/// does). Then only its parent tells which tree it belongs to, as long as the parent lives.
#[derive(Debug)]
pub(crate) struct Members {
    group: Pid,
    mark: String,
    /// Known members, with their start times.
    found: HashMap<Pid, u64>,
    /// Processes outside the tree, with their start times. They are kept because reading an environment takes long.
    strangers: HashMap<Pid, u64>,
}

impl Members {
    pub(crate) fn new(group: Pid, mark: &str) -> Members {
        Members { group, mark: mark.to_owned(), found: HashMap::new(), strangers: HashMap::new() }
    }

    /// The members that run now, without zombies.
    pub(crate) fn look_up(&mut self) -> Vec<Pid> {
        let all: HashMap<Pid, Stat> = all().filter_map(|pid| Some((pid, Stat::read(pid)?))).collect();
        let runs = |stat: &&Stat| !matches!(stat.state, 'Z' | 'X');
        let (mut found, mut others) = (HashMap::new(), HashMap::new());
        for (pid, stat) in &all {
            let place = if self.is_member(*pid, stat) { &mut found } else { &mut others };
            place.insert(*pid, stat.started);
        }
        add_started(&mut found, &mut others, &all);
        // A process that has been replaced by another one with its id is checked again.
        self.strangers.retain(|pid, started| others.get(pid) == Some(started));
        self.found = found;
        self.found.keys().copied().filter(|pid| all.get(pid).as_ref().is_some_and(runs)).collect()
    }

    /// Whether the process is a member by itself, regardless of its parent.
    fn is_member(&mut self, pid: Pid, stat: &Stat) -> bool {
        if stat.group == self.group.as_raw_nonzero().get() || self.found.get(&pid) == Some(&stat.started) {
            return true;
        }
        if self.strangers.get(&pid) == Some(&stat.started) {
            return false;
        }
        let marked = is_marked(pid, &self.mark);
        if marked == Some(false) {
            self.strangers.insert(pid, stat.started);
        }
        marked == Some(true)
    }
}

/// Moves descendants of the processes in `found` from `others` to `found`.
fn add_started(found: &mut HashMap<Pid, u64>, others: &mut HashMap<Pid, u64>, all: &HashMap<Pid, Stat>) {
    // A process older than its parent has lost its real parent meanwhile, and another process got the parent's id.
    let is_started = |pid: &Pid, found: &HashMap<Pid, u64>| {
        found.get(&all[pid].parent).is_some_and(|since| *since <= all[pid].started)
    };
    loop {
        let started: Vec<Pid> = others.keys().copied().filter(|pid| is_started(pid, found)).collect();
        if started.is_empty() {
            return;
        }
        found.extend(started.into_iter().filter_map(|pid| Some((pid, others.remove(&pid)?))));
    }
}

fn all() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

/// Fields of a process, from `/proc/<pid>/stat`.
struct Stat {
    state: char,
    parent: Pid,
    group: i32,
    /// Ticks between the machine's start and the process's. With the id, they identify a process uniquely.
    started: u64,
}

impl Stat {
    /// Reads `pid (name) state parent group …`. The name may contain anything, even `)`. The start time is field 22.
    fn read(pid: Pid) -> Option<Stat> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?.chars().next()?;
        // The first processes have parent 0.
        let parent = Pid::from_raw(fields.next()?.parse().ok()?).unwrap_or(Pid::INIT);
        let group = fields.next()?.parse().ok()?;
        let started = fields.nth(16)?.parse().ok()?;
        Some(Stat { state, parent, group, started })
    }
}

/// `None` if the process has no environment at this moment, because it is executing another program.
fn is_marked(pid: Pid, mark: &str) -> Option<bool> {
    // The processes of other users cannot be read, and are not in the tree.
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
    fn a_stranger_is_checked_once() {
        let own = Pid::from_raw(std::process::id() as i32).unwrap();
        // No process is in this group.
        let mut members = Members::new(Pid::from_raw(i32::MAX).unwrap(), "a-mark-that-nobody-has");
        assert_eq!(members.look_up(), []);
        let started = Stat::read(own).map(|stat| stat.started);
        assert_eq!(members.strangers.get(&own).copied(), started);
        assert!(started.is_some());
    }

    #[test]
    fn descendants_of_a_member_are_members_unless_they_are_older() {
        let pid = |number| Pid::from_raw(number).unwrap();
        let stat = |parent, started| Stat { state: 'S', parent: pid(parent), group: 1, started };
        let all = HashMap::from([
            (pid(10), stat(1, 100)),
            (pid(11), stat(10, 100)),
            (pid(12), stat(11, 300)),
            (pid(13), stat(10, 99)),
            (pid(14), stat(13, 400)),
        ]);
        let mut found = HashMap::from([(pid(10), 100)]);
        let mut others = all.iter().map(|(pid, stat)| (*pid, stat.started)).filter(|(id, _)| *id != pid(10)).collect();
        add_started(&mut found, &mut others, &all);
        assert_eq!(found, HashMap::from([(pid(10), 100), (pid(11), 100), (pid(12), 300)]));
        assert_eq!(others, HashMap::from([(pid(13), 99), (pid(14), 400)]));
    }
}
