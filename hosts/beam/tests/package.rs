//! The generated package without built files: it compiles without a warning, and a new server answers at tier 0.

// Windows has no variant.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../../../conformance/project.rs"]
mod conformance;

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use conformance::{check_fallbacks, of_text, project, write};
use tierup_codegen::{HostSettings, Machine, Step, Target, Variant};
use tierup_host_beam::beam;

const PATIENCE: Duration = Duration::from_secs(120);

fn settings(folder: &Path) -> HostSettings {
    HostSettings {
        folder: folder.to_owned(),
        install: Default::default(),
        start: vec![],
        prepare: vec![],
        baselines: vec![(None, "Server.Own".to_owned())],
    }
}

/// An empty folder for each test, as tests run at the same time.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join(test);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Runs mix in a folder and asserts that it succeeds.
fn mix(folder: &Path, arguments: &[&str]) {
    let output = Command::new("mix").args(arguments).current_dir(folder).env_remove("TIERUP_TIER").output();
    let output = output.unwrap_or_else(|error| panic!("mix: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "mix {arguments:?}: {}\n{out}\n{err}", output.status);
}

#[test]
fn the_package_compiles_without_a_warning_and_takes_the_first_fallback_that_can_run() {
    let folder = folder("beam-syntax");
    write(&folder, &beam().package(&project(), &settings(&folder)).unwrap());
    several_programs(&folder);
    mix(&folder, &["compile", "--warnings-as-errors"]);
    check_several_programs(&folder);
    let committed = folder.join("committed");
    write(&committed, &beam().stub(&project(), &settings(&folder)).unwrap().files);
    mix(&committed, &["compile", "--warnings-as-errors"]);
    check_fallbacks(|environment| {
        let script = r##"
            try do
              Conformance.bind(baseline: %{echo_text: & &1})
              IO.puts("#{Conformance.tier()} #{Conformance.echo_text!("a")}")
            rescue
              error -> IO.puts(:stderr, Exception.message(error))
            end
        "##;
        let mut command = Command::new("elixir");
        command.args(["-pa", "_build/dev/lib/conformance/ebin", "-e", script]).current_dir(&committed);
        let output = command.env_remove("TIERUP_TIER").envs(environment.iter().copied()).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    });
}

/// Programs for all platforms, and a record of a build.
fn several_programs(folder: &Path) {
    for target in Target::ALL {
        let path = folder.join("priv").join(target.name).join("artifacts/conformance");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // The first one that is tried hangs.
        let hangs = format!("echo $$ >>'{}'; exec sleep 1000", folder.join("tried").display());
        let does = if target.name.ends_with("-gnu") { hangs } else { "echo conformance 0.1.0".to_owned() };
        fs::write(&path, format!("#!/bin/sh\n{does}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let variants = ["3:native", "1:spawn"].map(|name| format!("\"{name}\": {{ \"built\": true }}"));
    fs::write(folder.join("built.json"), format!("{{ \"variants\": {{ {} }} }}", variants.join(", "))).unwrap();
}

/// A program that hangs is given up. The choice of a program sends its caller no message. Without files for this platform,
/// tier 0 runs.
fn check_several_programs(folder: &Path) {
    let script = r##"
        {:ok, _} = Application.ensure_all_started(:conformance)
        Process.flag(:trap_exit, true)
        "1:spawn" = Conformance.bind(tier: "1:spawn")
        {:messages, []} = Process.info(self(), :messages)
        hung = "/proc/" <> String.trim(File.read!("tried"))
        ended = fn ended -> if File.exists?(hung), do: Process.sleep(20) && ended.(ended) end
        ended.(ended)
        for file <- Path.wildcard("priv/*-musl/artifacts/*"), do: File.write!(file, "#!/bin/sh\nexit 1\n")
        {:error, words} = Conformance.Tierup.Trial.program("1:spawn")
        true = words =~ "did not say its version within 10 s\n" and words =~ "does not start (1)"
        for folder <- Path.wildcard("priv/*"), do: File.rm_rf!(folder)
        "0" = Conformance.bind(baseline: %{echo_text: & &1})
        IO.puts(Conformance.metrics().instead)
    "##;
    let mut command = Command::new("elixir");
    command.args(["-pa", "_build/dev/lib/conformance/ebin", "-e", script]).current_dir(folder);
    let output = command.env_remove("TIERUP_TIER").env_remove("TIERUP_FALLBACK").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let line = "conformance: your own code runs, at tier 0, as 3:native: priv has no native-";
    assert!(out.starts_with(line) && out.contains(" 1:spawn: priv has no artifacts/conformance for "), "{out}{err}");
    assert_eq!(out, err);
}

#[test]
fn every_generated_file_says_what_made_it() {
    let settings = settings(Path::new("/server"));
    let package = beam().package(&project(), &settings).unwrap();
    let (driver, _) = beam().driver(&project(), &settings);
    for (name, content) in package.iter().chain(driver.iter()) {
        let text = std::str::from_utf8(content).unwrap();
        assert!(text.lines().take(2).any(|line| line.contains("Made by tierup")), "{name}");
        assert!(!text.contains("package_application") && !text.contains("Package."), "{name}");
    }
}

#[test]
fn a_package_that_would_hide_another_is_refused() {
    let mut project = project();
    project.interface.package = "kernel".into();
    let refused = beam().package(&project, &settings(Path::new("/server"))).unwrap_err();
    assert!(refused.contains("`kernel` is already an application of Erlang"), "{refused}");
    assert!(beam().takes("server") && beam().takes("kernel") && !beam().takes("slug"));
}

#[test]
fn libraries_for_another_machine_have_its_file_names() {
    let copies = |variant| {
        let recipe = beam().recipe(&project(), variant, &Machine::from_target("aarch64-apple-darwin").unwrap());
        let copies = recipe.steps.into_iter().filter_map(|step| match step {
            Step::Copy { from, to } => Some(format!("{} -> {}", from.display(), to.display())),
            _ => None,
        });
        copies.collect::<String>()
    };
    let folder = "target/aarch64-apple-darwin/release";
    assert_eq!(copies(Variant::Pool), format!("{folder}/conformance -> beam/priv/artifacts/conformance"));
    // The BEAM looks for `.so` on macOS, too.
    let native = copies(Variant::Native);
    assert!(native.starts_with(&format!("{folder}/libtierup_beam_native_conformance.dylib -> beam/priv/native-")));
    assert!(native.ends_with(".so"), "{native}");
}

/// A program has only one global allocator, so the library leaves its own out if the user's crate has one. The compiler
/// detects this, and the build recognizes the compiler's message.
#[test]
fn the_compiler_refuses_a_second_allocator_with_the_known_message() {
    let recipe = beam().recipe(&project(), Variant::Native, &Machine::this());
    let either = recipe.steps.iter().find_map(|step| match step {
        Step::Either { preferred, conflict, otherwise } => Some((preferred, conflict, otherwise)),
        _ => None,
    });
    let (preferred, conflict, otherwise) = either.unwrap();
    let without = [&preferred.arguments[..], &["--no-default-features".to_owned()]].concat();
    assert_eq!(otherwise.arguments, without);

    let folder = folder("beam-allocators");
    fs::create_dir_all(&folder).unwrap();
    let allocator = "#[global_allocator]\nstatic OWN: std::alloc::System = std::alloc::System;\n";
    let compiled = |kind: &str, name: &str, text: &str| {
        fs::write(folder.join(format!("{name}.rs")), text).unwrap();
        let arguments = ["--edition", "2024", "--crate-type", kind, "-L", ".", &format!("{name}.rs")];
        let output = Command::new("rustc").args(arguments).current_dir(&folder).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // A dependency may contain the user's allocator.
    assert!(compiled("rlib", "dependency", allocator).0);
    assert!(compiled("rlib", "users", "pub extern crate dependency;").0);
    let nif = |allocator: &str| compiled("cdylib", "nif", &format!("pub extern crate users;\n{allocator}"));
    let (success, error) = nif(allocator);
    assert!(!success && error.contains(conflict), "{error}");
    let (success, error) = nif("");
    assert!(success, "{error}");
}

/// `tierup new --host beam`, at tier 0.
#[test]
fn a_new_server_answers() {
    let source = "pub fn slugify(text: &str) -> Result<String, String> { unimplemented!() }";
    let project = of_text("near-words", &["slugify"], source);
    let folder = folder("beam-new");
    let server = folder.join("beam");
    write(&folder.join("tierup/near-words/beam"), &beam().stub(&project, &settings(&server)).unwrap().files);
    let scaffold = beam().scaffold("near-words", "slugify");
    write(&server, &scaffold.files);
    mix(&server, &["compile", "--warnings-as-errors"]);
    let metrics = r#"
        NearWords.bind(baseline: Server.Baseline)
        NearWords.slugify!("a")
        %{tier: "0", asked: "", calls: 1, instead: instead} = NearWords.metrics()
        "near-words: your own code runs, at tier 0, as no variant is built here: run `tierup build`" = instead
    "#;
    mix(&server, &["run", "--no-start", "-e", metrics]);

    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (program, arguments) = scaffold.start.split_first().unwrap();
    let mut process = Command::new(program)
        .args(arguments)
        .current_dir(&server)
        .envs([("TIERUP_TIER", "0".to_owned()), ("PORT", port.to_string())])
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let start = Instant::now();
    let connect = || loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(stream) => return stream,
            Err(error) => assert!(start.elapsed() < PATIENCE, "{error}"),
        }
        thread::sleep(Duration::from_millis(50));
    };
    let ask = |method: &str, target: &str| {
        let mut stream = connect();
        write!(stream, "{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        format!("{} {body}", head.split(' ').nth(1).unwrap())
    };
    assert_eq!(ask("GET", "/slug?text=Gr%C3%B6%C3%9Fe+or+size!"), "200 gr-e-or-size");
    assert_eq!(ask("GET", "/slug?text=!"), "400 text has no letters or digits");
    assert_eq!(ask("GET", "/slug"), "400 query parameter \"text\" is missing");
    assert_eq!(ask("HEAD", "/livez"), "200 ");
    assert_eq!(ask("PUT", "/slug"), "405 method not allowed");
    assert_eq!(ask("GET", "/other"), "404 not found");
    // `tierup` stops a server in this way.
    let stopped = Command::new("kill").args(["-TERM", &process.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    assert!(process.wait().unwrap().success());
}
