//! `transpile`: from a core module to what JavaScript loads: a component first, then jco's script for it.
//!
//! In: the core module. Out: `component.js` as jco writes it, and the core modules that it instantiates.

use js_component_bindgen::{InstantiationMode, TranspileOpts};

use crate::{Files, component::componentize};

pub(crate) fn transpile(core: &[u8]) -> Result<Files, String> {
    let component = componentize(core)?;
    let options = TranspileOpts::builder()
        .name("component".to_owned())
        .no_typescript(true)
        .instantiation_mode(InstantiationMode::Sync)
        // Throws an `Err` as its plain text, without wrapping it in an error with a stack.
        .no_component_error_wrapping(true)
        // wit-bindgen wrote the guest's answers, so no value in them is out of its range.
        .valid_lifting_optimization(true)
        .nodejs_compat_disabled(true)
        .no_namespaced_exports(true)
        .build();
    let transpiled = js_component_bindgen::transpile(&component, options).map_err(|error| format!("jco: {error:#}"))?;
    Ok(transpiled.files)
}
