//! Times calls of functions in the process that makes them: without servers, without requests, one call at a time.
//!
//! In: a [`Plan`] of functions with argument lists, and rows: callers that can be started, of which the first calls the
//! function directly. Out: a [`record::Record`] of every slice, from which [`figures`] derives the time of a call and
//! how much longer it takes than the function alone. It knows callers, never a tier.
//!
//! The method is that of servers (`docs/method.md`): blocks of fresh processes, rows in random order in every round, the
//! block as the unit of inference.

mod block;
pub mod figures;
mod plan;
pub mod record;
mod run;
mod state;
mod verify;

pub use self::{
    plan::{Budget, Callable, Called, Plan, PlannedCalls, PlannedFunction, Refusal},
    run::run,
    state::Error,
};
