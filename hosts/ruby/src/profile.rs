//! The sensor of Ruby servers: stackprof, driven from inside of every process.
//!
//! `RUBYOPT=-r` loads a file before the server's own code; a thread of its own obeys tierup. stackprof samples by the
//! CPU time of the process, and sees threads that have let the VM's lock go in the method that they called.

use std::path::Path;

use tierup_codegen::{
    Allocations, Command, Files, ProfileFormat, SOCKET, SampledTime, Sampling, Sensor, Tool, Variable,
};

use crate::source::literal;

const PRELOAD: &str = "preload.rb";
/// Between samples. The kernel's timers are coarser, often 4 ms.
const MICROSECONDS: u32 = 1000;
/// The file that the places of stackprof are written to, one a line.
const PATHS: &str = "stackprof-paths";
/// Prints the version if it is installed.
const VERSION: &str = "require 'stackprof'; print StackProf::VERSION";

pub(crate) fn tool() -> Tool {
    Tool {
        program: "ruby",
        part: Some("stackprof"),
        purpose: "samples the server for `tierup profile`",
        version_arguments: &["-e", VERSION],
        minimum: "0.2.17",
        install: if cfg!(target_os = "linux") { "apt-get install ruby-stackprof" } else { "gem install stackprof" },
    }
}

/// # Errors
/// RUBYOPT cannot name a file in this folder.
pub(crate) fn sensor(private: &Path) -> Result<Sensor, String> {
    let preload = private.join(PRELOAD).display().to_string();
    if preload.contains(char::is_whitespace) {
        return Err(format!("RUBYOPT cannot name `{preload}`, as it has a space: set TMPDIR to a folder without one"));
    }
    let socket = private.join(SOCKET).display().to_string();
    let paths = private.join(PATHS).display().to_string();
    let text = include_str!("../templates/profile/preload.rb")
        .replace("{{socket}}", &literal(&socket))
        .replace("{{paths}}", &format!("File.readlines({}, chomp: true)", literal(&paths)))
        .replace("{{microseconds}}", &MICROSECONDS.to_string());
    let find = format!(
        "spec = Gem::Specification.find_all_by_name('stackprof').max_by(&:version); \
         File.write('{PATHS}', spec ? spec.full_require_paths.join(\"\\n\") : '')"
    );
    Ok(Sensor {
        title: "stackprof",
        files: Files::new().with(PRELOAD, text),
        preparation: vec![Command::new("ruby", ["-e", &find])],
        environment: vec![Variable {
            name: "RUBYOPT",
            value: format!("-r{preload}"),
            joined_by: Some(" "),
            asked_by: None,
        }],
        in_the_build: false,
        sampling: Sampling::Agent,
        format: ProfileFormat::Collapsed { microseconds: MICROSECONDS },
        // Samples come as often as the kernel's timer allows, so each process is scaled to its CPU time.
        time: SampledTime::Clock,
        allocations: Allocations::Objects,
        misses: "threads that are not Ruby's",
        hint: "the server must run on Ruby 3.1 or newer, and take RUBYOPT from its environment".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_string_of_ruby_and_must_be_a_word_of_rubyopt() {
        let sensor = sensor(Path::new("/a/it's#{x}\"")).unwrap();
        assert_eq!(sensor.environment[0].value, "-r/a/it's#{x}\"/preload.rb");
        let preload = String::from_utf8(sensor.files.get(PRELOAD).unwrap().to_vec()).unwrap();
        assert!(preload.contains(&format!("SOCKET = {}\n", literal("/a/it's#{x}\"/agents"))), "{preload}");
        assert!(!preload.contains("{{"), "{preload}");
        assert!(super::sensor(Path::new("/a b")).unwrap_err().contains("TMPDIR"));
    }
}
