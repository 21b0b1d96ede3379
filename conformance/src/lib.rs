//! Functions that cross every type, every error and every panic.
//!
//! Each host is driven through all of them in every variant. They know nothing of tierup: they are what
//! a user could write.

mod calls;
mod composite;
mod hostile;
mod names;
mod scalars;

pub use calls::*;
pub use composite::*;
pub use hostile::*;
pub use names::*;
pub use scalars::*;
