//! The machine's processes, as Linux shows them in `/proc`.

use std::fs;

use rustix::process::Pid;

use super::MARK;

/// Processes that run (a zombie does not) in this group or with this mark.
pub(super) fn members(group: Pid, mark: &str) -> Vec<Pid> {
    all().filter(|pid| belongs(*pid, group, mark)).collect()
}

/// Processes of this group alone, which is quicker to tell.
pub(crate) fn of_group(group: Pid) -> Vec<Pid> {
    let is_member = |pid: &Pid| state_and_group(*pid).is_some_and(|(_, its)| its == group.as_raw_nonzero().get());
    all().filter(is_member).collect()
}

fn all() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

fn belongs(pid: Pid, group: Pid, mark: &str) -> bool {
    let Some((state, its_group)) = state_and_group(pid) else {
        return false;
    };
    if matches!(state, 'Z' | 'X') {
        return false;
    }
    its_group == group.as_raw_nonzero().get() || is_marked(pid, mark)
}

/// From `/proc/<pid>/stat`: `pid (name) state parent group …`, where the name may hold anything, `)` too.
fn state_and_group(pid: Pid) -> Option<(char, i32)> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let group = fields.nth(1)?.parse().ok()?;
    Some((state, group))
}

fn is_marked(pid: Pid, mark: &str) -> bool {
    // Another user's process cannot be read, and is none of ours.
    let Ok(environment) = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())) else {
        return false;
    };
    environment.split(|byte| *byte == 0).any(|variable| {
        let value = variable.strip_prefix(MARK.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(|value| value.split(|byte| *byte == b':').any(|one| one == mark.as_bytes()))
    })
}
