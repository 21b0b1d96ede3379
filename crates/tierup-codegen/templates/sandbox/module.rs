//! The module: your functions, compiled for this kind of processor when this library was built, and part of it.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::sync::OnceLock;

use wasmtime::{Engine, Module};

use crate::instance::Instance;
use crate::limits::Limits;
use crate::settings::settings;
use crate::{forks, pin};

/// The most bytes of stack that the functions' own calls take. Rust keeps larger values in the module's memory.
pub const STACK: usize = 2 << 20;

/// For processes whose calls have no time-out: the module does not check for one.
static PLAIN: &[u8] = include_bytes!("../compiled/core.cwasm");
static TIMED: &[u8] = include_bytes!("../compiled/core-timed.cwasm");

pub struct Loaded {
    pub engine: Engine,
    pub module: Module,
    pub limits: Limits,
    /// 0, or the number of the alternative that this process calls.
    pub alternative: u32,
}

/// The module, which is loaded once in a process and in those that are forked from it.
pub fn loaded() -> Result<&'static Loaded, &'static str> {
    static LOADED: OnceLock<Result<Loaded, String>> = OnceLock::new();
    let loaded = match LOADED.get() {
        Some(loaded) => loaded,
        None => {
            let _no_forks = forks::none_meanwhile();
            LOADED.get_or_init(load)
        }
    };
    loaded.as_ref().map_err(String::as_str)
}

fn load() -> Result<Loaded, String> {
    pin::pin();
    let limits = Limits::of_environment()?;
    let can_end = limits.timeout.is_some();
    let cannot = |error: wasmtime::Error| {
        format!("2:core cannot run on this machine: {error:#}; run `tierup build` on a machine like this one")
    };
    let mut settings = settings(can_end).map_err(cannot)?;
    settings.max_wasm_stack(STACK);
    let engine = Engine::new(&settings).map_err(cannot)?;
    // SAFETY: wasmtime's compiler made these bytes when this library was built, of which they are a part.
    let module = unsafe { Module::deserialize(&engine, if can_end { TIMED } else { PLAIN }) }.map_err(cannot)?;
    let loaded = Loaded { engine, module, limits, alternative: alternative()? };
    match Instance::new(&loaded).and_then(|mut instance| instance.abi()) {
        Ok(crate::ABI) => {}
        Ok(other) => {
            return Err(format!("2:core was built from the interface {other:016x}, not {:016x}: run `tierup build`", crate::ABI));
        }
        Err(error) => return Err(cannot(error)),
    }
    forks::watch()?;
    Ok(loaded)
}

/// The place of NAME in `TIERUP_TIER=2:core#NAME`, from 1 on.
fn alternative() -> Result<u32, String> {
    let tier = std::env::var("TIERUP_TIER").unwrap_or_default();
    let Some((_, name)) = tier.split_once('#') else { return Ok(0) };
    let place = crate::ALTERNATIVES.iter().position(|known| *known == name);
    let place = place.ok_or_else(|| format!("TIERUP_TIER names no alternative of this build: {name}"))?;
    Ok(place as u32 + 1)
}
