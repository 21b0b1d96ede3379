//! The generated package, for the functions of `conformance/`, without anything built.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../../../conformance/project.rs"]
mod conformance;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use conformance::{check_fallbacks, project, write};
use tierup_codegen::{HostSettings, Target};
use tierup_host_php::php;

/// An empty folder for each test, as tests run at the same time.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join(test);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Whether it is committed or linked.
#[test]
fn a_package_takes_the_first_fallback_that_can_run() {
    let folder = folder("fallbacks");
    let (project, settings) = (project(), HostSettings::default());
    write(&folder.join("committed"), &php().stub(&project, &settings).unwrap().files);
    write(&folder.join("linked"), &php().package(&project, &settings).unwrap());
    for package in ["committed", "linked"] {
        check_fallbacks(|environment| {
            let script = "require 'autoload.php'; $own = ['echoText' => fn($text) => $text];\n\
                Conformance\\Rust::with(baseline: $own); $rust = Conformance\\Rust::with(baseline: $own);\n\
                echo $rust->tier(), ' ', $rust->echoText('a');";
            let mut command = Command::new("php");
            command.args(["-n", "-d", "display_errors=stderr", "-r", script]).current_dir(folder.join(package));
            let output = command.env_remove("TIERUP_TIER").envs(environment.iter().copied()).output().unwrap();
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
        });
    }
}

/// A program that answers a call of `echo_text` with one letter.
fn program(path: &Path, letter: char) {
    let answers = format!("cat >/dev/null; printf '\\0\\1\\0\\0\\0{letter}'");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n[ \"$1\" = --version ] && echo conformance 0.1.0 || {{ {answers}; }}\n"))
        .unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

/// A package with built variants, but without their files.
fn built(test: &str) -> PathBuf {
    let folder = folder(test);
    write(&folder, &php().package(&project(), &HostSettings::default()).unwrap());
    let variants = ["3:native", "1:pool", "1:spawn"].map(|name| format!("\"{name}\": {{ \"built\": true }}"));
    fs::write(folder.join("built.json"), format!("{{ \"variants\": {{ {} }} }}", variants.join(", "))).unwrap();
    let _ = fs::remove_dir_all(notes(&folder));
    fs::create_dir(notes(&folder)).unwrap();
    folder
}

/// PHP's folder for notes.
fn notes(package: &Path) -> PathBuf {
    package.with_extension("notes")
}

/// What a server with the package prints, on standard output and standard error.
fn served(package: &Path, tier: &str, words: &[&str], before: &str) -> (String, String) {
    let script = format!(
        "{before} require 'autoload.php';\n\
         $rust = Conformance\\Rust::with(baseline: ['echoText' => fn($text) => 'own']);\n\
         echo $rust->tier(), ' ', $rust->echoText('a');"
    );
    let mut command = Command::new("php");
    command.args(["-d", "display_errors=stderr", "-d", "log_errors=0"]).args(words).args(["-r", &script]);
    command.current_dir(package).env("TMPDIR", notes(package)).env("TIERUP_TIER", tier).env_remove("TIERUP_FALLBACK");
    let output = command.output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// What a server forbids or changes does not keep the package from the program that starts.
#[test]
fn the_first_of_several_programs_that_starts_is_called() {
    let folder = built("several");
    let of = |library: &'static str| {
        let here = Target::ALL.into_iter().filter(move |target| target.name.ends_with(library));
        let artifacts = folder.join("artifacts");
        here.map(move |target| artifacts.join(target.name).join("conformance"))
    };
    of("-gnu").for_each(|path| program(&path, 'g'));
    of("-musl").for_each(|path| program(&path, 'm'));
    let inside = format!("open_basedir={}", folder.display());
    let throws = "set_error_handler(fn($level, $message) => throw new ErrorException($message));";
    let reaps = "pcntl_signal(SIGCHLD, SIG_IGN);";
    // The handler is there before a file notes which program starts.
    let nowhere = ["-d", "sys_temp_dir=/dev/null"];
    for (words, before) in [(&[][..], throws), (&["-d", &inside], ""), (&nowhere, reaps), (&[], "")] {
        assert_eq!(
            served(&folder, "1:spawn", words, before),
            ("1:spawn g".to_owned(), String::new()),
            "{words:?} {before}"
        );
    }

    // The noted program starts no longer. A file of another time would have another note.
    for path in of("-gnu") {
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "#!/bin/sh\nexit 1\n").unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    }
    assert_eq!(served(&folder, "1:spawn", &[], ""), ("1:spawn m".to_owned(), String::new()));

    let (out, err) = served(&folder, "1:spawn", &["-d", "disable_functions=php_uname"], "");
    assert!(out.is_empty() && err.contains("UnavailableException: conformance cannot run at tier 1:spawn: "), "{err}");
    program(&folder.join("artifacts/conformance"), 'h');
    let (out, err) = served(&folder, "1:spawn", &["-d", "disable_functions=php_uname"], "");
    assert_eq!((&*out, &*err), ("1:spawn h", ""));
}

#[test]
fn a_program_that_does_not_say_its_version_is_given_up() {
    let folder = built("hanging");
    for target in Target::ALL {
        let path = folder.join("artifacts").join(target.name).join("conformance");
        program(&path, 'p');
        let hangs = format!("#!/bin/sh\necho $$ >>'{}'; exec sleep 1000\n", folder.join("tried").display());
        if target.name.ends_with("-gnu") {
            fs::write(path, hangs).unwrap();
        }
    }
    assert_eq!(served(&folder, "1:spawn", &[], ""), ("1:spawn p".to_owned(), String::new()));
    let tried = fs::read_to_string(folder.join("tried")).unwrap();
    assert!(!Path::new("/proc").join(tried.trim()).exists(), "{tried}");

    for target in Target::ALL.into_iter().filter(|target| target.name.ends_with("-musl")) {
        fs::write(folder.join("artifacts").join(target.name).join("conformance"), "#!/bin/sh\nexit 1\n").unwrap();
    }
    let (_, err) = served(&folder, "1:spawn", &["-d", "sys_temp_dir=/dev/null"], "");
    assert!(err.contains("conformance: it did not end within 10 s\n") && err.contains("exit code 1"), "{err}");
}

/// A signal between PHP's last look for signals and its wait does not interrupt the wait.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_just_before_a_wait_is_handled() {
    let folder = built("late");
    let path = folder.join("artifacts/conformance");
    program(&path, 'h');
    fs::write(&path, "#!/bin/sh\nexec sleep 1000\n").unwrap();
    let library = notes(&folder).join("late.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/late_select.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]);
    assert!(compiler.status().unwrap().success());
    let script = "require 'autoload.php'; pcntl_async_signals(true); pcntl_signal(SIGALRM, fn() => exit('handled'));\n\
         $rust = Conformance\\Rust::with(tier: '1:spawn'); pcntl_alarm(1); $rust->echoText('a');";
    let mut command = Command::new("timeout");
    command.args(["100", "php", "-r", script]).current_dir(&folder).env("LD_PRELOAD", &library);
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "handled");
}

#[test]
fn tier_0_runs_if_nothing_that_was_built_runs_here() {
    let folder = built("lacking");
    let lines = "conformance: your own code runs, at tier 0, as 3:native: artifacts has no native.so for ";
    let (out, err) = served(&folder, "", &[], "");
    assert!(
        out == "0 own" && err.starts_with(lines) && err.contains(" 1:spawn: artifacts has no conformance"),
        "{err}"
    );
    let (out, err) = served(&folder, "1", &[], "");
    assert!(out.is_empty() && err.contains("conformance cannot run at tier 1:\n  1:pool: artifacts has no "), "{err}");

    program(&folder.join("artifacts/conformance"), 'h');
    let (out, err) = served(&folder, "", &["-d", "disable_functions=proc_open"], "");
    assert!(out == "0 own" && err.contains(" 1:pool: disable_functions lists proc_open"), "{err}");
}
