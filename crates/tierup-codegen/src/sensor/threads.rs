//! Threads of a server that a sensor never samples, by their names. In: nothing. Out: [`ThreadRule`]s, which a
//! [`Sensor`](super::Sensor) lists; `tierup-sampling` reads what such threads have used from the kernel.

use crate::Pattern;

/// One rule. The first rule of a list that fits a thread's name decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadRule {
    /// Of the name that the kernel has: at most 15 bytes. A thread without a name of its own has that of the thread that
    /// started it.
    pub name: Pattern,
    /// The threads' work, for people: a row of the profile.
    pub what: &'static str,
}

/// [`ThreadRule::what`] of a sensor's own threads, and the row of all work of a sensor within the server.
pub const THE_SENSOR: &str = "the profiler itself";

impl ThreadRule {
    pub const fn new(name: Pattern, what: &'static str) -> ThreadRule {
        ThreadRule { name, what }
    }
}
