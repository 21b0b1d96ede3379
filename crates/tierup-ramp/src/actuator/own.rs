//! tierup's own proxy, which reads the control file and writes evidence files.

use std::{fs, io, path::PathBuf};

use tierup_rollout::{Control, Weights};

use crate::{
    Error, Result,
    actuator::{Actuator, control_file::write_control},
};

/// Any number of `tierup shadow` that read one control file.
#[derive(Debug)]
pub struct Own {
    /// The path of the control file.
    path: PathBuf,
}

impl Own {
    pub fn new(path: PathBuf) -> Own {
        Own { path }
    }
}

impl Actuator for Own {
    fn name(&self) -> &'static str {
        "tierup"
    }

    fn set(&mut self, control: &Control) -> Result<()> {
        write_control(&self.path, control)
    }

    /// The weights in the file. A proxy reads them within a second.
    fn read(&mut self, now: u64) -> Result<Weights> {
        let text = match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Weights::CONTROL_ONLY),
            read => read.map_err(Error::file("read", &self.path))?,
        };
        let control = Control::parse(&text).map_err(|source| Error::ControlFile { path: self.path.clone(), source })?;
        Ok(control.weights_at(now))
    }

    /// Removes the control file.
    fn release(&mut self) -> Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::file("remove", &self.path)(error)),
            _ => Ok(()),
        }
    }
}
