//! Compiles a core Wasm module to machine code, which wasmtime's runtime loads without a compiler.
//!
//! In: a module and a folder. Out: `core.cwasm` and, for calls that can be ended, `core-timed.cwasm`, with exit code 0;
//! or a reason on standard error and exit code 1. tierup builds this program when a host first needs it.

mod settings;

use std::{env, ffi::OsString, fs, path::Path, process::ExitCode, thread};

use target_lexicon::{Architecture, HOST};
use wasmtime::{Engine, Result};

const USAGE: &str = "usage: tierup-precompile precompile FILE FOLDER";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let [word, from, into] = &arguments[..] else { return usage() };
    if word != "precompile" {
        return usage();
    }
    match precompile(Path::new(from), Path::new(into)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

fn precompile(from: &Path, into: &Path) -> Result<(), String> {
    let module = fs::read(from).map_err(|error| format!("cannot read `{}`: {error}", from.display()))?;
    let module = &module[..];
    let compiled = thread::scope(|scope| {
        let files = [("core.cwasm", false), ("core-timed.cwasm", true)];
        let running = files.map(|(name, can_end)| (name, scope.spawn(move || compile(module, can_end))));
        running.map(|(name, thread)| (name, thread.join()))
    });
    for (name, compiled) in compiled {
        let compiled =
            compiled.map_err(|_| "the compiler panicked".to_owned())?.map_err(|error| format!("{error:?}"))?;
        let path = into.join(name);
        fs::write(&path, compiled).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
    }
    Ok(())
}

/// The module as machine code for all processors of this kind, as it may be deployed to an older machine.
#[expect(unsafe_code, reason = "a processor without such instructions is found when the module is loaded")]
fn compile(module: &[u8], can_end: bool) -> Result<Vec<u8>> {
    let mut config = settings::settings(can_end)?;
    config.target(&HOST.to_string())?;
    if HOST.architecture == Architecture::X86_64 {
        // x86-64-v2, which processors have since 2009, and without which 128-bit vectors are slow.
        for flag in ["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt"] {
            // SAFETY: wasmtime refuses to load the module if the processor lacks these instructions.
            unsafe { config.cranelift_flag_enable(flag) };
        }
    }
    Engine::new(&config)?.precompile_module(module)
}
