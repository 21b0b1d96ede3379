//! Calls of functions, timed in the process that makes them: no servers, no requests, nobody else at the same time.
//!
//! In: a [`Plan`] of functions with argument lists, and rows: callers that can be started, the first of
//! which calls the function and nothing else. Out: a [`record::Record`] of every slice, from which [`figures`] derives the time
//! of a call and what it takes longer than the function alone. It knows callers, never a tier.
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
