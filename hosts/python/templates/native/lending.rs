//! Python's text and bytes, for Rust to look at during a call: in place, where nobody can change them meanwhile.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString};

use crate::direct::LENDING;

/// A text's UTF-8, for the parameter that is called so.
pub fn text<'a>(value: &'a Bound<'_, PyAny>, parameter: &str) -> PyResult<Cow<'a, str>> {
    if let Ok(text) = value.cast::<PyString>() {
        return utf8(text);
    }
    static NOT_TEXT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let refusal = NOT_TEXT.import(value.py(), LENDING, "not_text")?.call1((value, parameter))?;
    Err(PyErr::from_value(refusal))
}

/// `bytes` as they are, a copy of whatever else has bytes, for the parameter that is called so.
pub fn bytes<'py>(value: &Bound<'py, PyAny>, parameter: &str) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    static COPIED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let copied = COPIED.import(value.py(), LENDING, "copied")?.call1((value, parameter))?;
    Ok(copied.cast_into()?)
}

/// Python keeps a text's UTF-8 beside it from the first time that somebody asks; of ASCII alone, it is the text itself.
///
/// Every CPython since 3.3 has this function, but 3.10 is the first to promise it to all later ones. For a module that
/// 3.9 can load as well, PyO3 leaves it out, and copies the text twice.
#[cfg(not(windows))]
fn utf8<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    use pyo3::ffi::{PyObject, Py_ssize_t};

    unsafe extern "C" {
        fn PyUnicode_AsUTF8AndSize(text: *mut PyObject, size: *mut Py_ssize_t) -> *const u8;
    }
    let mut size = 0;
    // SAFETY: it is a `str`, and this thread has the interpreter's lock.
    let start = unsafe { PyUnicode_AsUTF8AndSize(text.as_ptr(), &raw mut size) };
    if start.is_null() {
        return Err(PyErr::fetch(text.py()));
    }
    // SAFETY: so many bytes of UTF-8, which stay there unchanged for as long as the text lives.
    Ok(Cow::Borrowed(unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(start, size as usize)) }))
}

/// Windows finds functions through a list of those that are promised, which in 3.9 does not have that one.
#[cfg(windows)]
fn utf8<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    text.to_cow()
}
