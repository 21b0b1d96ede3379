//! The sensor of Ruby servers: stackprof, started inside every process.
//!
//! A thread of its own carries out tierup's commands (`agent`). stackprof samples by the process's CPU time. If a
//! thread has released the VM's lock, it reports the method that the thread called.

use std::path::Path;

use tierup_codegen::{
    Allocations, Command, Crossing, FrameRule, HostSettings, ProfileFormat, Profiling, SampledTime, Sampling, Sensor,
    ServerFolder, Tool, Variant, Watch, Witness,
};

use crate::{Ruby, agent, frames, source::literal, witness};

/// The time between samples. The kernel's timers are coarser, often 4 ms.
const MICROSECONDS: u32 = 1000;
/// The file with the folders of stackprof, one per line.
const PATHS: &str = "stackprof-paths";
/// Prints stackprof's version if it is installed.
const VERSION: &str = "require 'stackprof'; print StackProf::VERSION";

impl Profiling for Ruby {
    fn frames(&self) -> &'static [FrameRule] {
        frames::FRAMES
    }

    fn crossing(&self) -> Option<Crossing> {
        const MEASURED: &str = "2 cores of an AMD EPYC with Ruby 3.1 in November 2026";
        Some(Crossing { variant: Variant::Native, microseconds: 0.26, measured: MEASURED })
    }

    fn sensor(&self, _: &HostSettings, _: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
        sensor(private)
    }

    fn sensor_tools(&self) -> Vec<Tool> {
        vec![Tool {
            program: "ruby",
            part: Some("stackprof"),
            purpose: "samples the server for `tierup profile`",
            version_arguments: &["-e", VERSION],
            minimum: "0.2.17",
            install: if cfg!(target_os = "linux") { "apt-get install ruby-stackprof" } else { "gem install stackprof" },
        }]
    }

    fn witness(
        &self,
        settings: &HostSettings,
        _: &dyn ServerFolder,
        watch: &Watch<'_>,
    ) -> Option<Result<Witness, String>> {
        Some(witness::witness(&settings.folder, watch))
    }
}

/// # Errors
/// If RUBYOPT cannot name a file in this folder.
fn sensor(private: &Path) -> Result<Sensor, String> {
    let paths = private.join(PATHS).display().to_string();
    let values = [
        ("microseconds", &*MICROSECONDS.to_string()),
        ("paths", &format!("File.readlines({}, chomp: true)", literal(&paths))),
    ];
    let find = format!(
        "spec = Gem::Specification.find_all_by_name('stackprof').max_by(&:version); \
         File.write('{PATHS}', spec ? spec.full_require_paths.join(\"\\n\") : '')"
    );
    Ok(Sensor {
        title: "stackprof",
        files: agent::files(include_str!("../templates/profile/preload.rb"), &values, private),
        preparation: vec![Command::new("ruby", ["-e", &find])],
        environment: vec![agent::variable(private)?],
        in_the_build: false,
        sampling: Sampling::Agent,
        format: ProfileFormat::Collapsed { microseconds: MICROSECONDS },
        // Samples come as often as the kernel's timer allows, so each process is scaled to its CPU time.
        time: SampledTime::Clock,
        thread_rules: &[],
        allocations: Allocations::Objects,
        not_sampled: "threads that are not Ruby's",
        hint: "the server must run on Ruby 3.1 or newer, and take RUBYOPT from its environment".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_filled_in() {
        let sensor = sensor(Path::new("/p")).unwrap();
        for (name, content) in sensor.files.iter() {
            assert!(!String::from_utf8_lossy(content).contains("{{"), "{name}");
        }
    }
}
