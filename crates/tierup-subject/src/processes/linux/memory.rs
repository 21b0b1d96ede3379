//! The memory that processes take together.
//!
//! The kernel's PSS divides a file's page among all processes that map it, even those of other rows: each of six Node
//! servers would have a sixth of Node's program, and a server without Node beside them would look heavier. Here a
//! server is counted as if it ran alone: a file's pages are divided among its own processes only.

use std::collections::HashMap;

use procfs::process::{MemoryMap, Process};

/// A part of a file, equal for all processes that map it.
#[derive(PartialEq, Eq, Hash)]
struct Part {
    device: (i32, i32),
    inode: u64,
    offset: u64,
}

/// Bytes, as if these processes were the only ones; `None` if the kernel does not tell.
pub(super) fn proportional(processes: &[Process]) -> Option<u64> {
    let mut own = 0;
    let mut files: HashMap<Part, u64> = HashMap::new();
    for process in processes {
        let Some((anonymous, parts)) = of(process) else {
            // A process that has ended since takes no memory.
            if process.is_alive() {
                return None;
            }
            continue;
        };
        own += anonymous;
        for (part, pages) in parts {
            // It is unknown which pages each process has, so the largest share stands for all of them.
            let most = files.entry(part).or_default();
            *most = pages.max(*most);
        }
    }
    Some(own + files.values().sum::<u64>())
}

/// A process's anonymous memory, and its share of each mapped part of a file, in bytes.
fn of(process: &Process) -> Option<(u64, Vec<(Part, u64)>)> {
    let rollup = process.smaps_rollup().ok()?.memory_map_rollup;
    // Shared only with forked processes, which belong to the same server.
    let anonymous = bytes(rollup.0.first()?, "Pss_Anon")?;
    let maps = process.smaps().ok()?;
    let parts = maps.0.iter().filter(|map| map.inode != 0).map(|map| {
        let pages = bytes(map, "Rss")?.saturating_sub(bytes(map, "Anonymous")?);
        Some((Part { device: map.dev, inode: map.inode, offset: map.offset }, pages))
    });
    Some((anonymous, parts.collect::<Option<_>>()?))
}

fn bytes(map: &MemoryMap, name: &str) -> Option<u64> {
    map.extension.map.get(name).copied()
}
