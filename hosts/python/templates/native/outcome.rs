//! How a direct call ended, for Python: a value, or one of the package's exceptions.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use tierup_calls::Outcome;

use crate::direct::ERRORS;

/// The value, or the exception for an error or a panic of the function.
pub fn value<T>(py: Python<'_>, outcome: Outcome<T>) -> PyResult<T> {
    static CALL_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static PANIC_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (class, name, message) = match outcome {
        Outcome::Ok(value) => return Ok(value),
        Outcome::Error(message) => (&CALL_ERROR, "CallError", message),
        Outcome::Panic(message) => (&PANIC_ERROR, "PanicError", message),
    };
    let class = class.import(py, ERRORS, name)?.clone();
    Err(PyErr::from_type(class, (message,)))
}
