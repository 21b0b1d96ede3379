//! Your functions as NIFs of the BEAM, through rustler: <https://docs.rs/rustler>.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.
//!
//! Calls run on dirty CPU schedulers, so that a call does not keep other processes waiting.

#[cfg(not(panic = "unwind"))]
compile_error!("build with panic=unwind: a panic would otherwise end the BEAM");

mod direct;
mod mark;
mod stack;

use std::cell::RefCell;
use std::ffi::{CStr, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

#[cfg(all(feature = "mimalloc", target_os = "linux"))]
use mimalloc::MiMalloc;
use rustler::codegen_runtime::{ErlNifEntry, ErlNifEnv, ErlNifFunc, ErlNifTerm, internal_write_symbols};
use rustler::types::atom;
use rustler::{Binary, Encoder, Env, ListIterator, NewBinary, SchedulerFlags, Term};
use tierup_calls::Outcome;

/// The BEAM sets glibc's `M_TRIM_THRESHOLD` at its start, which also keeps `M_MMAP_THRESHOLD` at 128 KiB (mallopt(3)).
/// glibc then gives freed memory back, and the next call takes it again, with a page fault for each 4 KiB.
#[cfg(all(feature = "mimalloc", target_os = "linux"))]
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The size of the largest buffer that is kept after a call.
const KEPT: usize = 1 << 20;

/// The tags of answers.
const OK: u8 = 0;
const REFUSED: u8 = 3;

thread_local! {
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

type Raw = unsafe extern "C" fn(*mut ErlNifEnv, c_int, *const ErlNifTerm) -> ErlNifTerm;

/// The BEAM calls this function of a library when it loads the library.
///
/// rustler's own macro sets no `upgrade`, so that a new version of the module could not be loaded.
#[unsafe(no_mangle)]
pub extern "C" fn nif_init() -> *const ErlNifEntry {
    // SAFETY: the BEAM calls this once for each library that it opens, before any other function.
    unsafe { internal_write_symbols() };
    let functions = [
        function(c"abi", 0, abi, SchedulerFlags::Normal),
        function(c"ready", 0, ready, SchedulerFlags::DirtyCpu),
        function(c"call", 2, call, SchedulerFlags::DirtyCpu),
        function(c"direct", 2, direct, SchedulerFlags::DirtyCpu),
        function(c"mark", 2, mark, SchedulerFlags::DirtyIo),
    ];
    // The BEAM keeps these as long as the library is loaded, which is forever: see build.rs.
    let mut entry = ErlNifEntry::new(direct::MODULE, Box::leak(Box::new(functions)), load);
    entry.upgrade = Some(upgrade);
    Box::leak(Box::new(entry))
}

fn function(name: &'static CStr, arity: u32, function: Raw, flags: SchedulerFlags) -> ErlNifFunc {
    ErlNifFunc { name: name.as_ptr(), arity, function, flags: flags as u32 }
}

/// There is nothing to prepare.
unsafe extern "C" fn load(_: *mut ErlNifEnv, _: *mut *mut c_void, _: ErlNifTerm) -> c_int {
    0
}

/// The new version needs no state of the old one.
unsafe extern "C" fn upgrade(_: *mut ErlNifEnv, _: *mut *mut c_void, _: *mut *mut c_void, _: ErlNifTerm) -> c_int {
    0
}

/// [`hash`], in the form that the BEAM calls.
unsafe extern "C" fn abi(env: *mut ErlNifEnv, count: c_int, arguments: *const ErlNifTerm) -> ErlNifTerm {
    // SAFETY: the BEAM's own arguments.
    unsafe { answer(env, count, arguments, hash) }
}

/// [`encoded`], in the form that the BEAM calls. Neither an error nor a panic raises.
unsafe extern "C" fn call(env: *mut ErlNifEnv, count: c_int, arguments: *const ErlNifTerm) -> ErlNifTerm {
    // SAFETY: the BEAM's own arguments.
    unsafe { answer(env, count, arguments, encoded) }
}

/// [`why_not_ready`], in the form that the BEAM calls.
unsafe extern "C" fn ready(env: *mut ErlNifEnv, count: c_int, arguments: *const ErlNifTerm) -> ErlNifTerm {
    // SAFETY: the BEAM's own arguments.
    unsafe { answer(env, count, arguments, why_not_ready) }
}

/// Why calls cannot be answered; nil if they can.
fn why_not_ready<'a>(env: Env<'a>, _: &[Term<'a>]) -> Option<Term<'a>> {
    Some(match stack::roomy(tierup_calls::ready) {
        Ok(()) => atom::nil().encode(env),
        Err(reason) => binary(env, reason.as_bytes()),
    })
}

/// Calls a function with encoded arguments and returns the answer's bytes.
fn encoded<'a>(env: Env<'a>, arguments: &[Term<'a>]) -> Option<Term<'a>> {
    let [function, encoded] = arguments else { return None };
    let (function, encoded) = (function.decode::<u32>().ok()?, lent(*encoded)?);
    let _call = mark::call();
    let mut answer = ANSWER.take();
    answer.clear();
    // Never unwinds.
    stack::roomy(|| tierup_calls::call(function, encoded, &mut answer));
    let handed_over = binary(env, &answer);
    answer.clear();
    answer.shrink_to(KEPT);
    ANSWER.set(answer);
    Some(handed_over)
}

/// [`plain`], in the form that the BEAM calls.
unsafe extern "C" fn direct(env: *mut ErlNifEnv, count: c_int, arguments: *const ErlNifTerm) -> ErlNifTerm {
    // SAFETY: the BEAM's own arguments.
    unsafe { answer(env, count, arguments, plain) }
}

/// Calls a function that has only text and bytes, with a list of arguments. Returns the tag, and the value or a
/// message.
fn plain<'a>(env: Env<'a>, arguments: &[Term<'a>]) -> Option<Term<'a>> {
    let [function, list] = arguments else { return None };
    let arguments: Vec<Term<'a>> = list.decode::<ListIterator<'a>>().ok()?.collect();
    let _call = mark::call();
    direct::call(env, function.decode::<u32>().ok()?, &arguments)
}

/// [`marked`], in the form that the BEAM calls.
unsafe extern "C" fn mark(env: *mut ErlNifEnv, count: c_int, arguments: *const ErlNifTerm) -> ErlNifTerm {
    // SAFETY: the BEAM's own arguments.
    unsafe { answer(env, count, arguments, marked) }
}

/// Marks calls from now on, in a new file with a path and a text; with `nil` in place of the path, no longer. Returns
/// how many nanoseconds that takes a call, or why it cannot.
fn marked<'a>(env: Env<'a>, arguments: &[Term<'a>]) -> Option<Term<'a>> {
    let [path, content] = arguments else { return None };
    Some(match mark::renew(lent(*path), lent(*content)?) {
        Ok(cost) => (cost.as_nanos() as u64).encode(env),
        Err(error) => binary(env, error.to_string().as_bytes()),
    })
}

/// The hash of the interface that this library was made from.
fn hash<'a>(env: Env<'a>, _: &[Term<'a>]) -> Option<Term<'a>> {
    Some(format!("{:016x}", tierup_calls::ABI).encode(env))
}

/// The term that `called` returns, or `ArgumentError` if it returns none. Never unwinds.
///
/// # Safety
/// The arguments must be those with which the BEAM called a NIF.
unsafe fn answer(
    env: *mut ErlNifEnv,
    count: c_int,
    arguments: *const ErlNifTerm,
    called: impl for<'a> FnOnce(Env<'a>, &[Term<'a>]) -> Option<Term<'a>>,
) -> ErlNifTerm {
    let lifetime = ();
    // SAFETY: the environment is valid until this function returns.
    let environment = unsafe { Env::new(&lifetime, env) };
    let count = usize::try_from(count).unwrap_or_default();
    // SAFETY: the BEAM passes this number of terms of this environment.
    let terms = if count == 0 { &[] } else { unsafe { slice::from_raw_parts(arguments, count) } };
    // SAFETY: as above.
    let terms = terms.iter().map(|term| unsafe { Term::new(environment, *term) });
    let answer = catch_unwind(AssertUnwindSafe(|| called(environment, &terms.collect::<Vec<_>>())));
    match answer {
        Ok(Some(term)) => term.as_c_arg(),
        // SAFETY: the environment belongs to this call.
        _ => unsafe { rustler::sys::enif_make_badarg(env) },
    }
}

/// The bytes of an argument, in place: nothing changes or frees them during the call.
fn lent<'a>(term: Term<'a>) -> Option<&'a [u8]> {
    Binary::from_term(term).ok().map(|binary| binary.as_slice())
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn binary<'a>(env: Env<'a>, bytes: &[u8]) -> Term<'a> {
    NewBinary::from_slice(env, bytes).into()
}

/// The answer if an argument is not text, with the message of `tierup_calls`.
fn refused(env: Env<'_>) -> Term<'_> {
    tagged(env, REFUSED, "text is not valid UTF-8")
}

fn answered<'a>(env: Env<'a>, outcome: Outcome<impl AsRef<[u8]>>) -> Term<'a> {
    match outcome.into_result() {
        Ok(value) => (OK, binary(env, value.as_ref())).encode(env),
        Err(failed) => tagged(env, failed.tag, &failed.message),
    }
}

#[allow(dead_code, reason = "not every crate has such a function")]
fn answered_nothing<'a>(env: Env<'a>, outcome: Outcome<()>) -> Term<'a> {
    match outcome.into_result() {
        Ok(()) => (OK, atom::nil()).encode(env),
        Err(failed) => tagged(env, failed.tag, &failed.message),
    }
}

fn tagged<'a>(env: Env<'a>, tag: u8, message: &str) -> Term<'a> {
    (tag, binary(env, message.as_bytes())).encode(env)
}
