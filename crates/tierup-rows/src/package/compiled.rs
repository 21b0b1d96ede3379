//! Compiles code for other machines: it names no folder of this machine, ignores the user's own compiler flags, and zig
//! links it for the oldest system that it must support.

use std::env;

use tierup_codegen::{Libc, Os, Step, Target};

use super::Packing;
use crate::toolchain::WASM_TARGET;

impl Packing<'_> {
    /// Changes a build step for a package: the result names no folder of this machine, and zig links for the platform.
    pub(super) fn for_others(&self, step: &Step, target: &Target) -> Step {
        let mut step = step.clone();
        for command in step.commands_mut().into_iter().filter(|command| command.program == "cargo") {
            let is_wasm = !command.arguments.iter().any(|word| word == target.triple);
            let triple = if is_wasm { WASM_TARGET } else { target.triple };
            let mut flags = flags_taken_out(&mut command.arguments, &format!("target.{triple}.rustflags"));
            flags.extend(self.folders().into_iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")));
            // This variable overrides the user's flags, such as `target-cpu=native`, which suit only this machine.
            command.environment.push(("CARGO_ENCODED_RUSTFLAGS".to_owned(), flags.join("\x1f")));
            if let Some(tools) = self.order.tools.as_ref().filter(|_| !is_wasm) {
                command.program = "cargo-zigbuild".to_owned();
                if let Some(first) = command.arguments.first_mut() {
                    *first = "zigbuild".to_owned();
                }
                if let (Some(Libc::Gnu), Some(floor)) = (target.machine().libc, target.floor) {
                    let named = command.arguments.iter_mut().filter(|word| *word == target.triple);
                    named.for_each(|word| *word = format!("{word}.{floor}"));
                }
                command.environment.extend(tools.environment());
            }
            if let (Os::MacOs, Some(floor)) = (target.machine().os, target.floor) {
                command.environment.push(("MACOSX_DEPLOYMENT_TARGET".to_owned(), floor.to_owned()));
            }
        }
        step
    }

    /// Folders of this machine that compilers may write into built files, with replacements. The last match counts.
    pub(super) fn folders(&self) -> Vec<(String, &'static str)> {
        let home = env::var("HOME").unwrap_or_default();
        let or_below = |name: &str, below: &str| env::var(name).unwrap_or_else(|_| format!("{home}/{below}"));
        let (cargo, rustup) = (or_below("CARGO_HOME", ".cargo"), or_below("RUSTUP_HOME", ".rustup"));
        let project = self.loaded.folder.display().to_string();
        let root = self.loaded.workspace_root.display().to_string();
        // No machine has folders with these names.
        let own =
            [(home, "/~home"), (cargo, "/~cargo"), (rustup, "/~rustup"), (root, "/~workspace"), (project, "/~project")];
        let mut all: Vec<_> = self.metadata.local_folders().map(|folder| (folder, "/~crate")).chain(own).collect();
        // Folders inside other ones must come later, as the last match counts.
        all.sort_by_key(|(folder, _)| folder.len());
        all.retain(|(folder, _)| folder.len() > 1);
        all
    }
}

/// Removes `--config NAME=["…"]` from a command, and returns the flags in it.
fn flags_taken_out(words: &mut Vec<String>, name: &str) -> Vec<String> {
    let mut flags = Vec::new();
    while let Some(at) = words.iter().position(|word| word.starts_with(&format!("{name}=["))) {
        let list = words.remove(at)[name.len() + 1..].to_owned();
        words.remove(at - 1);
        flags.extend(serde_json::from_str::<Vec<String>>(&list).expect("tierup writes it so"));
    }
    flags
}
