//! The machine that a build targets: this one, or another by cargo's name for it.
//!
//! Recipes receive the machine as a value, so that they can be written for another machine than this one. Nothing else
//! here checks which machine this program itself runs on.

use std::env::consts::{ARCH, OS};

use crate::THIS_MACHINE;

/// A system, a processor and a C library that built files are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    pub os: Os,
    /// The name that Rust uses, with the byte order added if that name lacks it: `x86_64`, `aarch64`, `powerpc64le`.
    pub arch: String,
    /// `None` if the system has only one.
    pub libc: Option<Libc>,
    target: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    Linux,
    MacOs,
    Windows,
    /// A system that only ever builds for itself.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Libc {
    Gnu,
    Musl,
}

impl Machine {
    /// The machine that this program runs on.
    pub fn this() -> Machine {
        let os = match OS {
            "linux" => Os::Linux,
            "macos" => Os::MacOs,
            "windows" => Os::Windows,
            _ => Os::Other,
        };
        let is_little = cfg!(target_endian = "little");
        let arch = if ARCH == "powerpc64" && is_little { "powerpc64le" } else { ARCH };
        let libc = match os {
            Os::Linux if cfg!(target_env = "musl") => Some(Libc::Musl),
            Os::Linux => Some(Libc::Gnu),
            _ => None,
        };
        Machine { os, arch: arch.to_owned(), libc, target: THIS_MACHINE.to_owned() }
    }

    /// A machine by its target triple: `aarch64-unknown-linux-musl`. `None` unless Node, Python, Go and Java all run on
    /// it.
    pub fn from_target(target: &str) -> Option<Machine> {
        let (arch, system) = target.split_once('-')?;
        let (os, libc) = match system {
            "unknown-linux-gnu" | "unknown-linux-gnueabihf" => (Os::Linux, Some(Libc::Gnu)),
            "unknown-linux-musl" | "unknown-linux-musleabihf" => (Os::Linux, Some(Libc::Musl)),
            "apple-darwin" => (Os::MacOs, None),
            "pc-windows-msvc" | "pc-windows-gnu" => (Os::Windows, None),
            _ => return None,
        };
        let arch = match arch {
            "x86_64" | "aarch64" | "s390x" | "powerpc64le" => arch,
            "i686" => "x86",
            "armv7" => "arm",
            "riscv64gc" => "riscv64",
            _ => return None,
        };
        Some(Machine { os, arch: arch.to_owned(), libc, target: target.to_owned() })
    }

    /// Cargo's name for it, as an argument and as a folder: [`THIS_MACHINE`], or the target triple.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// A program's file name.
    pub fn program(&self, name: &str) -> String {
        if self.os == Os::Windows { format!("{name}.exe") } else { name.to_owned() }
    }

    /// The file name of a library that programs load.
    pub fn dynamic_library(&self, name: &str) -> String {
        match self.os {
            Os::Linux | Os::Other => format!("lib{name}.so"),
            Os::MacOs => format!("lib{name}.dylib"),
            Os::Windows => format!("{name}.dll"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};

    use super::*;

    #[test]
    fn this_machine_has_rusts_name() {
        let this = Machine::this();
        assert_eq!(this.target(), THIS_MACHINE);
        assert_eq!(this.program("a"), format!("a{EXE_SUFFIX}"));
        assert_eq!(this.dynamic_library("a"), format!("{DLL_PREFIX}a{DLL_SUFFIX}"));
    }

    #[test]
    fn other_machines_go_by_their_triple() {
        let machine = Machine::from_target("armv7-unknown-linux-musleabihf").unwrap();
        assert_eq!((machine.os, &*machine.arch, machine.libc), (Os::Linux, "arm", Some(Libc::Musl)));
        let mac = Machine::from_target("aarch64-apple-darwin").unwrap();
        assert_eq!((mac.target(), &*mac.dynamic_library("a")), ("aarch64-apple-darwin", "liba.dylib"));
        let windows = Machine::from_target("x86_64-pc-windows-msvc").unwrap();
        assert_eq!((&*windows.program("a"), &*windows.dynamic_library("a")), ("a.exe", "a.dll"));
        assert_eq!(Machine::from_target("wasm32-unknown-unknown"), None);
        assert_eq!(Machine::from_target("x86_64-unknown-linux-gnux32"), None);
    }
}
