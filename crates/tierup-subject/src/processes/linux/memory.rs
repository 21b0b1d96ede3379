//! What processes take together.
//!
//! The kernel's PSS divides a page of a file by all who map it, and so by servers of other rows: six rows of Node would
//! each have a sixth of its program, and a row beside them that is no Node would look the heavier for it. Here a server is
//! taken as if it ran alone: what a file's pages take is divided among its own processes and nobody else.

use std::collections::HashMap;

use procfs::process::{MemoryMap, Process};

/// The same part of the same file, whoever maps it.
#[derive(PartialEq, Eq, Hash)]
struct Part {
    device: (i32, i32),
    inode: u64,
    offset: u64,
}

/// Bytes, as if these processes were the only ones; `None` where the kernel does not tell.
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
            // Which pages each of them has is not known: those of the one that has most are taken for all.
            let most = files.entry(part).or_default();
            *most = pages.max(*most);
        }
    }
    Some(own + files.values().sum::<u64>())
}

/// A process's anonymous memory, and its share of each mapped part of a file, in bytes.
fn of(process: &Process) -> Option<(u64, Vec<(Part, u64)>)> {
    let rollup = process.smaps_rollup().ok()?.memory_map_rollup;
    // Shared with forked processes alone, which are of the same server.
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
