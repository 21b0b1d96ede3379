//! Calls through a driver, which is started when it is first needed, and again after a call that ended it.
//!
//! In: the driver's command, then calls. Out: answers.

use std::path::PathBuf;

use tierup_codegen::Command;

use crate::{Call, CallAnswer, Driver, Interrupts, Result};

/// Makes calls through one driver at a time.
#[derive(Debug)]
pub struct Caller {
    command: Command,
    root: PathBuf,
    driver: Option<Driver>,
}

impl Caller {
    /// A caller whose driver is not started yet. A relative folder of the command starts from `root`.
    pub fn new(command: Command, root: PathBuf) -> Caller {
        Caller { command, root, driver: None }
    }

    /// Starts the driver, if none runs.
    ///
    /// # Errors
    /// As [`Driver::start`].
    pub fn start(&mut self) -> Result<()> {
        if self.driver.is_none() {
            self.driver = Some(Driver::start(&self.command, &self.root, &[])?);
        }
        Ok(())
    }

    /// Makes a call. A driver that fails is ended, because its next answer could belong to another call. The next call
    /// starts a new one.
    ///
    /// # Errors
    /// As [`Driver::start`] and [`Driver::call_unless_interrupted`].
    pub fn call(&mut self, call: &Call<'_>, interrupts: &Interrupts) -> Result<CallAnswer> {
        let mut driver = match self.driver.take() {
            Some(driver) => driver,
            None => Driver::start(&self.command, &self.root, &[])?,
        };
        let answer = driver.call_unless_interrupted(call, interrupts)?;
        self.driver = Some(driver);
        Ok(answer)
    }

    /// A caller with the same driver, but a separate process.
    #[must_use]
    pub fn another(&self) -> Caller {
        Caller::new(self.command.clone(), self.root.clone())
    }
}
