//! The functions as an extension module of Python, by hand, for every Python from 3.9 on: text and bytes as Python has
//! them, the lock given back during the call. (tierup's own also borrows text where PyO3 copies it.)

use std::panic::{UnwindSafe, catch_unwind};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

fn guarded<T: Send>(py: Python<'_>, call: impl FnOnce() -> T + UnwindSafe + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(call)).map_err(|_| PyRuntimeError::new_err("the function panicked"))
}

#[pyfunction]
fn echo_text<'py>(py: Python<'py>, text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    let text = text.to_cow()?;
    let text: &str = &text;
    Ok(PyString::new(py, &guarded(py, || crossings::echo_text(text))?))
}

#[pyfunction]
fn echo_bytes<'py>(py: Python<'py>, bytes: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = bytes.as_bytes();
    Ok(PyBytes::new(py, &guarded(py, || crossings::echo_bytes(bytes))?))
}

#[pyfunction]
fn sort_and_hash(py: Python<'_>, seed: u64, count: u32) -> PyResult<u64> {
    guarded(py, || crossings::sort_and_hash(seed, count))
}

#[pyfunction]
fn write_numbers(py: Python<'_>, seed: u64, count: u32) -> PyResult<u64> {
    guarded(py, || crossings::write_numbers(seed, count))
}

#[pymodule]
fn rivals_pyo3(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(echo_text, module)?)?;
    module.add_function(wrap_pyfunction!(echo_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(sort_and_hash, module)?)?;
    module.add_function(wrap_pyfunction!(write_numbers, module)?)
}
