//! Answers as binaries of the BEAM. Large ones are not copied: the BEAM refers to the vector, and frees it with the last term that does.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::ffi::{c_char, c_void};
use std::mem::{self, MaybeUninit};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use rustler::sys::{
    ErlNifEnv, ErlNifResourceDtor, ErlNifResourceFlags, ErlNifResourceType, ErlNifResourceTypeInit, enif_alloc_resource,
    enif_make_resource_binary, enif_open_resource_type_x, enif_release_resource,
};
use rustler::{Env, NewBinary, Term};

/// From here on, a copy costs more than what the BEAM has to note of a vector.
const LARGE: usize = 16 << 10;

/// The BEAM's type for vectors. Null until the library is loaded.
static VECTORS: AtomicPtr<ErlNifResourceType> = AtomicPtr::new(ptr::null_mut());

/// Makes the type. A new version of the module takes over the vectors of the old one.
///
/// # Safety
/// The BEAM has called `load` or `upgrade` with this environment.
pub unsafe fn prepare(env: *mut ErlNifEnv) {
    for flags in [ErlNifResourceFlags::ERL_NIF_RT_TAKEOVER, ErlNifResourceFlags::ERL_NIF_RT_CREATE] {
        let mut done = MaybeUninit::uninit();
        let callbacks =
            ErlNifResourceTypeInit { dtor: unused as *const ErlNifResourceDtor, stop: ptr::null(), down: ptr::null() };
        let name: *const c_char = c"vector".as_ptr();
        // SAFETY: the caller's promise; the BEAM copies what it is given.
        let kind = unsafe { enif_open_resource_type_x(env, name, &callbacks, flags, done.as_mut_ptr()) };
        if !kind.is_null() {
            VECTORS.store(kind.cast_mut(), Ordering::Release);
            return;
        }
    }
}

/// What the BEAM keeps of an answer.
#[repr(C)]
struct Kept {
    /// The vector is freed by the version of the library that made it: another one may have another allocator.
    free: unsafe extern "C" fn(*mut Kept),
    vector: Vec<u8>,
}

/// Called once, when nothing refers to the vector any more; maybe by a newer version.
unsafe extern "C" fn unused(_: *mut ErlNifEnv, kept: *mut c_void) {
    let kept = kept.cast::<Kept>();
    // SAFETY: `without_copy` has written it, and nobody reads it again.
    unsafe { ((*kept).free)(kept) };
}

unsafe extern "C" fn free(kept: *mut Kept) {
    // SAFETY: as in `unused`.
    unsafe { ptr::drop_in_place(kept) };
}

/// The bytes of an answer as a term. The vector is empty afterwards if it was handed over.
pub fn over<'a>(env: Env<'a>, bytes: &mut Vec<u8>) -> Term<'a> {
    let kind = VECTORS.load(Ordering::Acquire);
    // What a vector has beyond its length would be kept for nothing.
    if kind.is_null() || bytes.len() < LARGE || bytes.capacity() / 2 > bytes.len() {
        return NewBinary::from_slice(env, bytes).into();
    }
    without_copy(env, kind, mem::take(bytes))
}

fn without_copy<'a>(env: Env<'a>, kind: *const ErlNifResourceType, bytes: Vec<u8>) -> Term<'a> {
    // SAFETY: the type is there for as long as the library. The BEAM aligns a resource as `malloc` does, ends the process if it
    // has no memory for it, and keeps it until nothing refers to it; until then the vector's bytes stay where they are.
    unsafe {
        let kept = enif_alloc_resource(kind, mem::size_of::<Kept>()).cast::<Kept>();
        let (data, length) = (bytes.as_ptr().cast::<c_void>(), bytes.len());
        kept.write(Kept { free, vector: bytes });
        let term = enif_make_resource_binary(env.as_c_arg(), kept.cast::<c_void>(), data, length);
        enif_release_resource(kept.cast::<c_void>());
        Term::new(env, term)
    }
}
