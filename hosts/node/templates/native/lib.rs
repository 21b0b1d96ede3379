//! Your functions as an addon of Node: <https://nodejs.org/api/n-api.html>, through napi-rs.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

#[cfg(not(panic = "unwind"))]
compile_error!("build with panic=unwind: a panic would otherwise end the host's process");

mod direct;

use std::cell::RefCell;

use napi::bindgen_prelude::{AsyncTask, BufferSlice, Either, Env, Result};
use napi::ScopedTask;
use napi_derive::napi;

/// The size of the largest buffer that is kept after a call.
const KEPT: usize = 1 << 20;

thread_local! {
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The hash of the interface that this addon was made from.
#[napi]
pub fn abi() -> String {
    format!("{:016x}", tierup_calls::ABI)
}

/// Calls a function with encoded arguments and returns the answer's bytes. Neither an error nor a panic throws.
#[napi]
pub fn call<'env>(
    env: &'env Env,
    function: u32,
    arguments: &[u8],
    small: BufferSlice<'env>,
) -> Result<Either<u32, BufferSlice<'env>>> {
    // Taken rather than borrowed, because a function that calls back into JavaScript may call this again.
    let mut answer = ANSWER.take();
    answer.clear();
    tierup_calls::call(function, arguments, &mut answer);
    let handed_over = hand_over(env, &answer, small);
    answer.clear();
    answer.shrink_to(KEPT);
    ANSWER.set(answer);
    handed_over
}

/// Copies bytes into the host's memory: into `small` if they fit, which returns their number, otherwise into a new Buffer.
/// Making one through Node's API takes several times as long as copying a few hundred bytes twice.
///
/// A Buffer over Rust's memory would keep it until a garbage collection, which comes late because V8 does not see its size.
fn hand_over<'env>(
    env: &'env Env,
    bytes: &[u8],
    mut small: BufferSlice<'env>,
) -> Result<Either<u32, BufferSlice<'env>>> {
    match small.get_mut(..bytes.len()) {
        Some(room) => {
            room.copy_from_slice(bytes);
            Ok(Either::A(bytes.len() as u32))
        }
        None => BufferSlice::copy_from(env, bytes).map(Either::B),
    }
}

/// [`call`] on libuv's thread pool.
#[napi]
pub fn call_async(function: u32, arguments: &[u8]) -> AsyncTask<Call> {
    AsyncTask::new(Call { function, arguments: arguments.to_vec() })
}

/// A call that waits for a thread.
pub struct Call {
    function: u32,
    arguments: Vec<u8>,
}

impl<'task> ScopedTask<'task> for Call {
    type Output = Vec<u8>;
    type JsValue = BufferSlice<'task>;

    // `tierup_calls::call` never unwinds, which matters here: nothing above this frame would catch it.
    fn compute(&mut self) -> Result<Vec<u8>> {
        let mut answer = Vec::new();
        tierup_calls::call(self.function, &self.arguments, &mut answer);
        Ok(answer)
    }

    fn resolve(&mut self, env: &'task Env, answer: Vec<u8>) -> Result<BufferSlice<'task>> {
        BufferSlice::copy_from(env, answer)
    }
}
