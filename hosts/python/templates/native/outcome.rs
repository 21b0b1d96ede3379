//! How a direct call ended, for Python: a value, or one of the package's exceptions. It counts both.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use tierup_calls::Outcome;

use crate::direct::ERRORS;

/// The direct calls of a binding, and how they ended.
#[derive(Default)]
pub struct Counts {
    calls: AtomicU64,
    errors: AtomicU64,
    panics: AtomicU64,
}

impl Counts {
    pub fn begin(&self) {
        self.calls.fetch_add(1, Relaxed);
    }

    pub fn read(&self) -> (u64, u64, u64) {
        (self.calls.load(Relaxed), self.errors.load(Relaxed), self.panics.load(Relaxed))
    }

    /// The value, or the exception for an error or a panic of the function.
    pub fn value<T>(&self, py: Python<'_>, outcome: Outcome<T>) -> PyResult<T> {
        static CALL_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static PANIC_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let (class, name, message, count) = match outcome {
            Outcome::Ok(value) => return Ok(value),
            Outcome::Error(message) => (&CALL_ERROR, "CallError", message, &self.errors),
            Outcome::Panic(message) => (&PANIC_ERROR, "PanicError", message, &self.panics),
        };
        count.fetch_add(1, Relaxed);
        let class = class.import(py, ERRORS, name)?.clone();
        Err(PyErr::from_type(class, (message,)))
    }
}
