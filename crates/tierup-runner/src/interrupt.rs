//! Ctrl-C and similar signals. While a [`Watch`] lives, signals to exit are counted, so that code that runs a program
//! can end it properly. At all other times, they end this process by default.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use other::Watch;
#[cfg(unix)]
pub(crate) use unix::Watch;

/// Notices Ctrl-C, SIGTERM and SIGHUP while it lives. Meanwhile, they do not end this process by themselves.
pub struct Interrupts(Watch);

impl Interrupts {
    pub fn watch() -> Interrupts {
        Interrupts(Watch::new())
    }

    /// Whether a signal has arrived since.
    pub fn arrived(&self) -> bool {
        self.count() > 0
    }

    /// How many signals have arrived since.
    pub fn count(&self) -> usize {
        self.0.arrived()
    }
}
