//! Settings of the compiled code. Compiler and runtime must agree on them: otherwise wasmtime refuses the module.
//!
//! tierup uses this file twice: in the program that compiles, and in the generated crate that runs the result.

use wasmtime::{Config, ModuleVersionStrategy, Result};

/// Noted in each module. By itself, wasmtime compares only the first of the three numbers.
const VERSION: &str = "48.0.8";

/// `can_end` says whether a call can be ended while it runs. The checks for that slow tight loops down, so that only
/// processes with a time-out use such a module.
pub(crate) fn settings(can_end: bool) -> Result<Config> {
    let mut config = Config::new();
    // The code itself checks its memory accesses. With signals it would be faster, but their handlers belong to the
    // host's process, where crash reporters and the host's own runtime have theirs.
    config.signals_based_traps(false);
    config.epoch_interruption(can_end);
    // No message shows addresses in the Wasm module.
    config.wasm_backtrace_max_frames(None).generate_address_map(false);
    config.module_version(ModuleVersionStrategy::Custom(VERSION.to_owned()))?;
    Ok(config)
}
