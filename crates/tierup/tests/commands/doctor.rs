//! `tierup doctor`.

use std::{fs, path::Path};

use crate::tierup;

/// Only a machine without any program is the same everywhere.
#[test]
fn missing_programs_are_listed_with_their_install_commands() {
    let empty = tempfile::tempdir().unwrap();
    let output = tierup(empty.path(), &["doctor"]).env("PATH", empty.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let (table, errors) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    for program in ["rustup", "cargo", "rustc", "wasm32-unknown-unknown", "cc", "node", "go"] {
        assert!(table.lines().any(|line| line.contains(program) && line.contains("missing")), "{program}\n{table}");
        assert!(errors.contains(&format!("{program}: ")), "{program}\n{errors}");
    }
    assert!(errors.contains("rustup target add wasm32-unknown-unknown"));
    // Only `tierup profile` needs these, so they are listed but not required.
    for (sensor, command) in [("py-spy", "pip install py-spy"), ("stackprof", "apt-get install ruby-stackprof")] {
        let lacks = |line: &str| line.contains(sensor) && line.contains("not here") && line.ends_with(command);
        assert!(table.lines().any(lacks), "{sensor}\n{table}");
    }
    assert!(!errors.contains("py-spy"), "{errors}");
    #[cfg(target_os = "linux")]
    for sensor in ["perf", "perf record", "jcmd"] {
        assert!(table.lines().any(|line| line.contains(sensor) && line.contains("not here")), "{sensor}\n{table}");
    }
}

#[cfg(unix)]
#[test]
fn an_outdated_program_is_not_listed_as_missing() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("cargo");
    fs::write(&program, "#!/bin/sh\necho cargo 1.40.0\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let output = tierup(folder.path(), &["doctor", "--json"]).env("PATH", folder.path()).output().unwrap();
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(findings["ok"], false);
    let cargo = findings["findings"].as_array().unwrap().iter().find(|finding| finding["what"] == "cargo").unwrap();
    assert_eq!((&cargo["version"], &cargo["ok"]), (&"1.40.0".into(), &false.into()));
}

/// Like Debian's default: `kernel.perf_event_paranoid` is 3.
#[cfg(target_os = "linux")]
#[test]
fn a_perf_that_may_not_sample_is_not_listed_as_missing() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("perf");
    fs::write(&program, "#!/bin/sh\n[ $1 = --version ] && echo perf version 6.1.0\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let output = tierup(folder.path(), &["doctor", "--json"]).env("PATH", folder.path()).output().unwrap();
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |what: &str| {
        let all = findings["findings"].as_array().unwrap();
        all.iter().find(|finding| finding["what"] == what).map(|finding| finding["ok"] == true)
    };
    assert_eq!((of("perf"), of("perf record")), (Some(true), Some(false)));
}

/// Like Debian and Ubuntu without python3-venv.
#[cfg(unix)]
#[test]
fn a_python_without_venv_is_not_enough() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("python3");
    let finding = |script: &str| {
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let output = tierup(folder.path(), &["doctor", "--json"]).env("PATH", folder.path()).output().unwrap();
        let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let of = |what: &str| {
            let all = findings["findings"].as_array().unwrap();
            all.iter().find(|finding| finding["what"] == what).map(|finding| finding["ok"] == true)
        };
        (of("python3"), of("python3 venv"))
    };
    assert_eq!(finding("test \"$1\" = --version && echo Python 3.12.1"), (Some(true), Some(false)));
    assert_eq!(finding("echo 3.12.1"), (Some(true), Some(true)));
}

/// Fake programs: a machine with the tools of one host.
#[cfg(unix)]
#[test]
fn one_complete_host_is_enough() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let add = |name: &str| {
        let program = folder.path().join(name);
        fs::write(&program, "#!/bin/sh\necho 99.0.0\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let lacks = |what: &str| {
        let output = tierup(folder.path(), &["doctor"]).env("PATH", folder.path()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        said.lines().next().is_some_and(|line| line.starts_with("error: not ready: ") && line.contains(what))
    };
    for program in ["rustup", "cargo", "rustc", "cc", "node"] {
        add(program);
    }
    assert!(lacks(", npm") && lacks(", go"));
    add("npm");
    assert!(lacks("wasm32") && !lacks(", npm") && !lacks(", go"));
    fs::remove_file(folder.path().join("npm")).unwrap();
    add("go");
    assert!(lacks(", npm") && !lacks(", go"));
}

/// Cargo built these tests, so Rust is installed.
#[test]
fn installed_programs_are_found() {
    let output = tierup(Path::new("."), &["doctor", "--json"]).output().unwrap();
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let whose: Vec<_> =
        findings["findings"].as_array().unwrap().iter().map(|one| one["for"].as_str().unwrap()).collect();
    assert!(whose.is_sorted_by_key(|whose| *whose != "rust"), "what each host needs stands together: {whose:?}");
    let fine = |what: &str| {
        findings["findings"].as_array().unwrap().iter().any(|one| one["what"] == what && one["ok"] == true)
    };
    assert!(fine("cargo") && fine("rustc"), "{findings}");
}
