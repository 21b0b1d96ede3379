//! Ctrl-C and similar signals. While a [`Watch`] lives, signals that ask to end are counted, so that code that runs a
//! program can end it properly. At all other times, they end this process by default.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use other::Watch;
#[cfg(unix)]
pub(crate) use unix::Watch;

/// Notices Ctrl-C, SIGTERM and SIGHUP while it lives; they then no longer end this process by themselves.
pub struct Interrupts(Watch);

impl Interrupts {
    pub fn watch() -> Interrupts {
        Interrupts(Watch::new())
    }

    /// Whether one has arrived since.
    pub fn arrived(&self) -> bool {
        self.count() > 0
    }

    /// How many have arrived since.
    pub fn count(&self) -> usize {
        self.0.arrived()
    }
}
