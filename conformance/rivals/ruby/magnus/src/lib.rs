//! The functions through magnus: as its documentation has it, which holds the VM's lock during a call, and with the lock released,
//! for which magnus has no function and rb-sys has Ruby's own.

use std::{ffi::c_void, ptr};

use magnus::rb_sys::{AsRawValue, FromRawValue};
use magnus::{Error, RString, Ruby, Value, function, prelude::*};

fn echo_text(ruby: &Ruby, text: RString) -> Result<RString, Error> {
    // SAFETY: no Ruby runs while the text is lent.
    let text = unsafe { text.as_str() }?;
    Ok(ruby.str_new(&crossings::echo_text(text)))
}

fn echo_bytes(ruby: &Ruby, bytes: RString) -> RString {
    // SAFETY: as above.
    let bytes = unsafe { bytes.as_slice() };
    ruby.str_from_slice(&crossings::echo_bytes(bytes))
}

fn sort_and_hash(seed: u64, count: u32) -> u64 {
    crossings::sort_and_hash(seed, count)
}

mod released {
    use super::*;

    pub(super) fn echo_text(ruby: &Ruby, text: RString) -> Result<RString, Error> {
        let text = frozen(text);
        // SAFETY: nobody can change it, and it is kept below.
        let lent = unsafe { text.as_str() }?;
        let answer = without_lock(|| crossings::echo_text(lent));
        keep(text);
        Ok(ruby.str_new(&answer))
    }

    pub(super) fn echo_bytes(ruby: &Ruby, bytes: RString) -> RString {
        let bytes = frozen(bytes);
        // SAFETY: as above.
        let lent = unsafe { bytes.as_slice() };
        let answer = without_lock(|| crossings::echo_bytes(lent));
        keep(bytes);
        ruby.str_from_slice(&answer)
    }

    pub(super) fn sort_and_hash(seed: u64, count: u32) -> u64 {
        without_lock(|| crossings::sort_and_hash(seed, count))
    }

    /// A String that shares the bytes of one which other threads may go on writing to.
    fn frozen(string: RString) -> RString {
        // SAFETY: it is called with the lock held, and the argument is a String.
        let value = unsafe { Value::from_raw(rb_sys::rb_str_new_frozen(string.as_raw())) };
        RString::from_value(value).expect("a String")
    }

    /// The garbage collector finds it on the stack until here.
    fn keep(string: RString) {
        std::hint::black_box(string);
    }

    /// A panic would end the process: this is for a measurement.
    fn without_lock<T>(call: impl FnOnce() -> T) -> T {
        struct Job<F, T> {
            call: Option<F>,
            answer: Option<T>,
        }
        unsafe extern "C" fn run<F: FnOnce() -> T, T>(data: *mut c_void) -> *mut c_void {
            // SAFETY: it is the job below, which lives until the call has ended.
            let job = unsafe { &mut *data.cast::<Job<F, T>>() };
            job.answer = job.call.take().map(|call| call());
            ptr::null_mut()
        }
        fn runner<F: FnOnce() -> T, T>(_: &Job<F, T>) -> unsafe extern "C" fn(*mut c_void) -> *mut c_void {
            run::<F, T>
        }
        let mut job = Job { call: Some(call), answer: None };
        let run = runner(&job);
        let data = (&raw mut job).cast::<c_void>();
        // SAFETY: the lock is held here, and `run` touches nothing of Ruby's.
        unsafe { rb_sys::rb_thread_call_without_gvl(Some(run), data, None, ptr::null_mut()) };
        job.answer.expect("it has run")
    }
}

#[magnus::init(name = "rivals_magnus")]
fn init(ruby: &Ruby) -> Result<(), Error> {
    let module = ruby.define_module("RivalsMagnus")?;
    module.define_singleton_method("echo_text", function!(echo_text, 1))?;
    module.define_singleton_method("echo_bytes", function!(echo_bytes, 1))?;
    module.define_singleton_method("sort_and_hash", function!(sort_and_hash, 2))?;
    let module = ruby.define_module("RivalsMagnusReleased")?;
    module.define_singleton_method("echo_text", function!(released::echo_text, 1))?;
    module.define_singleton_method("echo_bytes", function!(released::echo_bytes, 1))?;
    module.define_singleton_method("sort_and_hash", function!(released::sort_and_hash, 2))
}
