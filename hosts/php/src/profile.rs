//! The sensor of PHP servers: the extension excimer. A file that PHP runs before the server's own starts it in each
//! request.
//!
//! In: the run's private folder. Out: its files, and the variable that makes PHP read them. `PHP_INI_SCAN_DIR` adds a
//! folder of settings to the system's, for PHP-FPM and `php -S`; the server stays as it is. Variables do not outlive a
//! request, so a file's presence tells processes when to sample.

use std::path::Path;

use tierup_codegen::{
    Allocations, Command, Crossing, Executable, Files, FrameRule, HostSettings, OUTPUT, ProfileFormat, Profiling,
    SampledTime, Sampling, Sensor, ServerFolder, Tool, Variant, Watch, Witness, source::fill_shared,
};

use crate::{
    Php, frames,
    settings::{SETTINGS, folder, variable},
    witness,
};

/// The timer's period, in microseconds. It is a fraction of the kernel's ticks, which are 1 to 10 ms apart.
const MICROSECONDS: u32 = 100;

/// One request is recorded per this many microseconds of CPU time. Recording costs about 10 microseconds.
const WRITTEN: u32 = 1000;

impl Profiling for Php {
    fn frames(&self) -> &'static [FrameRule] {
        frames::FRAMES
    }

    fn crossing(&self) -> Option<Crossing> {
        const MEASURED: &str = "2 cores of an AMD EPYC with PHP 8.2 in November 2026";
        Some(Crossing { variant: Variant::Native, microseconds: 0.05, measured: MEASURED })
    }

    fn sensor(&self, _: &HostSettings, _: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
        sensor(private)
    }

    fn sensor_tools(&self) -> Vec<Tool> {
        vec![Tool {
            program: "php",
            part: Some("excimer"),
            purpose: "samples the server for `tierup profile`",
            version_arguments: &["-r", "echo phpversion('excimer');"],
            minimum: "1.0.0",
            install: "apt-get install php-excimer, or pecl install excimer",
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

    fn is_closure(&self, function: &str) -> bool {
        frames::is_closure(function)
    }
}

/// # Errors
/// If PHP's settings cannot contain the private folder's path.
fn sensor(private: &Path) -> Result<Sensor, String> {
    let folder = folder(private)?;
    let values = [("microseconds", &*MICROSECONDS.to_string()), ("written", &WRITTEN.to_string())];
    let files = Files::new()
        .with(SETTINGS, format!("auto_prepend_file = '{folder}/prepend.php'\n"))
        .with("prepend.php", fill_shared(include_str!("../templates/profile/prepend.php"), &values))
        .with("collect.sh", fill_shared(include_str!("../templates/profile/collect.sh"), &values));
    Ok(Sensor {
        title: "excimer",
        files,
        preparation: Vec::new(),
        environment: vec![variable(&folder)],
        in_the_build: false,
        sampling: Sampling::Program {
            of: Executable("php"),
            command: Command::new("sh", ["collect.sh", OUTPUT]),
            begins: "sampling",
            process: "process ",
            // The C library runs a timer's function in a new thread, which another thread starts.
            threads_in: Some(Executable("php")),
        },
        format: ProfileFormat::Collapsed { microseconds: 1 },
        // The samples cover all that a process did between two of its requests, so they stand for all of its CPU time.
        time: SampledTime::Clock,
        thread_rules: &[],
        allocations: Allocations::Uncounted,
        not_sampled: "threads of PHP's libraries. PHP's own functions count to their callers. With no free processor, samples \
                 come some milliseconds late: they count to what runs or waits then, or are lost at the request's end",
        hint: "the server must be PHP-FPM or `php -S`, run as the same user, take PHP_INI_SCAN_DIR from its environment, and set \
               no auto_prepend_file in a pool's configuration or in .user.ini. A router script of `php -S` must begin with \
               `require_once ini_get('auto_prepend_file');`, as PHP leaves that file out there"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn php_runs_the_sensor_before_each_script() {
        let sensor = sensor(Path::new("/tmp/a b")).unwrap();
        let settings = String::from_utf8(sensor.files.get("tierup.ini").unwrap().to_vec()).unwrap();
        assert_eq!(settings, "auto_prepend_file = '/tmp/a b/prepend.php'\n");
        assert_eq!(sensor.environment[0].beside(None), ":/tmp/a b");
    }
}
