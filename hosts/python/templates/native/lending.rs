//! Python's text and bytes, which Rust reads in place during a call. Nothing can change them before it returns.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString};

use crate::direct::LENDING;

/// The UTF-8 of a text. `parameter` names the parameter.
pub fn text<'a>(value: &'a Bound<'_, PyAny>, parameter: &str) -> PyResult<Cow<'a, str>> {
    if let Ok(text) = value.cast::<PyString>() {
        return utf8(text);
    }
    static NOT_TEXT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let refusal = NOT_TEXT.import(value.py(), LENDING, "not_text")?.call1((value, parameter))?;
    Err(PyErr::from_value(refusal))
}

/// `bytes` in place, or a copy of another bytes-like object. `parameter` names the parameter.
pub fn bytes<'py>(value: &Bound<'py, PyAny>, parameter: &str) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    static COPIED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let copied = COPIED.import(value.py(), LENDING, "copied")?.call1((value, parameter))?;
    Ok(copied.cast_into()?)
}

/// Python caches a text's UTF-8 with the text at the first request; ASCII text is its own UTF-8.
///
/// Every CPython since 3.3 has this function, but it is in the stable ABI only since 3.10. PyO3 does not declare it for
/// modules that 3.9 can load, and would copy the text twice.
#[cfg(not(windows))]
fn utf8<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    use pyo3::ffi::{PyObject, Py_ssize_t};

    unsafe extern "C" {
        fn PyUnicode_AsUTF8AndSize(text: *mut PyObject, size: *mut Py_ssize_t) -> *const u8;
    }
    let mut size = 0;
    // SAFETY: it is a `str`, and this thread holds the interpreter's lock.
    let start = unsafe { PyUnicode_AsUTF8AndSize(text.as_ptr(), &raw mut size) };
    if start.is_null() {
        return Err(PyErr::fetch(text.py()));
    }
    // SAFETY: these are `size` bytes of UTF-8, which stay unchanged as long as the text lives.
    Ok(Cow::Borrowed(unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(start, size as usize)) }))
}

/// Windows finds functions by the list of the stable ABI. In 3.9 the list lacks this one.
#[cfg(windows)]
fn utf8<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    text.to_cow()
}
