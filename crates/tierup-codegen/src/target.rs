//! The platforms that `tierup package` makes packages for.

use crate::Machine;

/// A platform: a system, a processor, and on Linux a C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// As npm's packages name it: `linux-x64-musl`.
    pub name: &'static str,
    /// As cargo names it.
    pub triple: &'static str,
    /// The oldest version that the files run on: of glibc, or of macOS.
    pub floor: Option<&'static str>,
}

impl Target {
    pub const ALL: [Target; 7] = [
        target("linux-x64-gnu", "x86_64-unknown-linux-gnu", Some("2.17")),
        target("linux-arm64-gnu", "aarch64-unknown-linux-gnu", Some("2.17")),
        target("linux-x64-musl", "x86_64-unknown-linux-musl", None),
        target("linux-arm64-musl", "aarch64-unknown-linux-musl", None),
        target("darwin-x64", "x86_64-apple-darwin", Some("11.0")),
        target("darwin-arm64", "aarch64-apple-darwin", Some("11.0")),
        target("win32-x64", "x86_64-pc-windows-gnu", None),
    ];

    /// Finds a target by either of its names.
    pub fn find(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name == name || target.triple == name)
    }

    pub fn machine(&self) -> Machine {
        Machine::from_target(self.triple).expect("each target is a machine, as the test says")
    }
}

const fn target(name: &'static str, triple: &'static str, floor: Option<&'static str>) -> Target {
    Target { name, triple, floor }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_target_is_a_machine_and_found_by_name() {
        for target in Target::ALL {
            assert_eq!((target.machine().target(), Target::find(target.name)), (target.triple, Some(target)));
        }
    }
}
