//! Your functions as an extension module of Python, through PyO3: <https://pyo3.rs>.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#[cfg(not(panic = "unwind"))]
compile_error!("build with panic=unwind: a panic would otherwise end the host's process");

mod direct;
#[allow(dead_code, reason = "not every crate has functions of text and bytes alone")]
mod lending;
#[allow(dead_code, reason = "not every crate has functions of text and bytes alone")]
mod outcome;

use std::cell::RefCell;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The size of the largest buffer that is kept after a call.
const KEPT: usize = 1 << 20;

thread_local! {
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The hash of the interface that this module was generated from.
#[pyfunction]
fn abi() -> String {
    format!("{:016x}", tierup_calls::ABI)
}

/// Calls a function with encoded arguments and returns the answer's bytes. Neither an error nor a panic raises.
#[pyfunction]
fn call<'py>(py: Python<'py>, function: u32, arguments: &Bound<'py, PyBytes>) -> Bound<'py, PyBytes> {
    let arguments = arguments.as_bytes();
    // Python's other threads run during the call. `tierup_calls::call` never unwinds.
    let mut answer = py.detach(|| {
        let mut answer = ANSWER.take();
        answer.clear();
        tierup_calls::call(function, arguments, &mut answer);
        answer
    });
    let handed_over = PyBytes::new(py, &answer);
    answer.clear();
    answer.shrink_to(KEPT);
    ANSWER.set(answer);
    handed_over
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(abi, module)?)?;
    module.add_function(wrap_pyfunction!(call, module)?)?;
    module.add_class::<direct::Functions>()
}
