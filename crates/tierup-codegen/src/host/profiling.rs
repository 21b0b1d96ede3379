//! How a host's servers are profiled and their functions are read. A host without a profiler keeps the defaults.

use std::path::Path;

use super::{HostSettings, ServerFolder, Tool};
use crate::{Declared, FrameRule, KnownCost, Sensor, Variant, Watch, Witness};

/// What `tierup profile` and `tierup init --function` need of a host: sensors, the meaning of frames, its sources.
pub trait Profiling {
    /// The owners of the code in this host's stacks, for `tierup profile`. By default, all code is the user's own.
    fn frames(&self) -> &'static [FrameRule] {
        &[]
    }

    /// Costs of this host's libraries that a profile names where they are large.
    fn known_costs(&self) -> &'static [KnownCost] {
        &[]
    }

    /// The cost of a call of Rust, for bounds before anything is built. `None` if it was not measured.
    fn crossing(&self) -> Option<Crossing> {
        None
    }

    /// How a profile of the unchanged server is taken. `folder` is the server's, and `private` the absolute path of a
    /// folder that exists for as long as the run, for the sensor's files and profiles.
    ///
    /// # Errors
    /// Why this server, or this host, cannot be profiled.
    fn sensor(&self, _settings: &HostSettings, _folder: &dyn ServerFolder, _private: &Path) -> Result<Sensor, String> {
        Err("tierup has no profiler for this host".to_owned())
    }

    /// How a server that already runs is profiled; `folder` is its working directory. By default, this is
    /// [`Profiling::sensor`], if that sensor can attach to a running server.
    ///
    /// # Errors
    /// As [`Profiling::sensor`].
    fn attached_sensor(
        &self,
        settings: &HostSettings,
        folder: &dyn ServerFolder,
        private: &Path,
    ) -> Result<Sensor, String> {
        match self.sensor(settings, folder, private) {
            Ok(sensor) if sensor.attaches() => Ok(sensor),
            Ok(sensor) => Err(format!("{} must be there when the server starts", sensor.title)),
            Err(why) => Err(why),
        }
    }

    /// Other sensors for the same server, by the name that `--sensor` gives them: a second opinion, such as `perf`.
    /// `private` is as for [`Profiling::sensor`].
    fn further_sensors(&self, _private: &Path) -> Vec<(&'static str, Sensor)> {
        Vec::new()
    }

    /// Which of [`Profiling::further_sensors`] to take if [`Profiling::sensor`] is not available.
    fn fallback_sensor(&self) -> Option<&'static str> {
        None
    }

    /// The programs that [`Profiling::sensor`] needs besides [`Host::tools`](super::Host::tools).
    fn sensor_tools(&self) -> Vec<Tool> {
        Vec::new()
    }

    /// How calls of the unchanged server's functions are observed, for `tierup profile` and `tierup init --function`.
    /// `folder` is the server's. By default, they cannot be.
    ///
    /// # Errors
    /// Why this server cannot be watched.
    fn witness(
        &self,
        _settings: &HostSettings,
        _folder: &dyn ServerFolder,
        _watch: &Watch<'_>,
    ) -> Option<Result<Witness, String>> {
        None
    }

    /// Whether a function of a profile is anonymous, so that this host's stacks name it after another one. A declared
    /// function may have such a name too. By default, none is.
    fn is_closure(&self, _function: &str) -> bool {
        false
    }

    /// A function's declaration in the source, for `tierup init --function`, in languages that declare types. `file` is
    /// its path from the server's folder. By default, functions are watched instead.
    ///
    /// # Errors
    /// Why its declaration cannot be read.
    fn declared(&self, _folder: &dyn ServerFolder, _file: &str, _name: &str) -> Option<Result<Declared, String>> {
        None
    }

    /// The number of folders from the server's up to its repository's, whose packages it may use. `declared` and
    /// `compiled` get the repository's folder, and paths relative to it. By default 0: the server's own folder.
    fn repository(&self, _folder: &dyn ServerFolder) -> usize {
        0
    }

    /// Files that a source may run as: `dist/price.js` or `dist/bundle.js` for `src/price.ts`. By default, it runs
    /// itself.
    fn compiled(&self, _folder: &dyn ServerFolder, _source: &str) -> Vec<String> {
        Vec::new()
    }

    /// Why the function without a name on this line of a file cannot move as it is, such as a framework's handler.
    /// `file` is its path from the server's folder. By default, there is no reason.
    fn handles(&self, _folder: &dyn ServerFolder, _file: &str, _line: u32) -> Option<String> {
        None
    }

    /// The file of the server's folder that declares a function of a profile, for hosts whose stacks name no files.
    fn source_of(&self, _folder: &dyn ServerFolder, _function: &str) -> Option<String> {
        None
    }
}

/// The cost of one call through a host's package: measured once by `conformance/crossings`, and shipped with tierup for
/// the time before a project is built.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    pub variant: Variant,
    /// Microseconds for a call that sends and returns 64 bytes of text.
    pub microseconds: f64,
    /// The machine and the versions that were measured.
    pub measured: &'static str,
}
