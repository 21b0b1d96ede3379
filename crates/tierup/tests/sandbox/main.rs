//! The sandbox for `2:core` in hosts without a Wasm runtime, called from Rust: it gives the same answers as calls
//! without it, and protects the host's process.
//!
//! Not part of a plain `cargo test`: it builds wasmtime first, which takes minutes. `cargo xtask test` runs it. The
//! build folder is kept, so only the first run is slow.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tierup::hosts;
use tierup_codegen::{Files, Machine, Project, shims};
use tierup_model::Interface;
use tierup_parity::edge_arguments;
use tierup_runner::{Quiet, Workshop, carry_out, write};

/// Projects share compiled dependencies, above all wasmtime, as in `examples/.cargo/config.toml`.
const BUILD_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/cache/build");

/// All edge values through all functions of `conformance/`, and broken arguments.
#[test]
fn the_sandbox_gives_the_same_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let folder = folder.canonicalize().expect("there is a conformance/");
    let built = Built::of(&folder, "alike");
    let interface = &built.project.interface;
    let (mut calls, mut count) = (Vec::new(), 0);
    let stateless = interface.functions.iter().zip(0_u32..).filter(|(function, _)| function.name != "count_calls");
    for (function, number) in stateless {
        for arguments in edge_arguments(function, interface) {
            let bytes =
                tierup_codegen::abi::encode_arguments(&arguments, function, interface).expect("values of their types");
            calls.extend_from_slice(&number.to_le_bytes());
            calls.extend_from_slice(&u32::try_from(bytes.len()).expect("short arguments").to_le_bytes());
            calls.extend_from_slice(&bytes);
            count += 1;
        }
    }
    assert!(count > 300, "only {count} calls");
    let said = built.run("alike", &[], &calls).unwrap_or_else(|said| panic!("{said}"));
    println!("{said}");
    assert!(said.contains(" 0 different"), "{said}");
}

/// Traps, threads, forks, endless loops and recursion, and incompatible modules.
#[test]
fn a_process_survives_its_functions() {
    let work = tempfile::tempdir().expect("a temporary folder");
    let text = |text: &str| text.to_owned();
    let files = Files::new()
        .with("Cargo.toml", text("[package]\nname = \"functions\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n"))
        .with("src/lib.rs", include_str!("functions.rs"))
        .with("tierup.toml", text("[function]\ncrate = \".\"\nexport = [\"shout\", \"reversed\", \"panic_with\", \"forget\", \"recurse\", \"spin\", \"fill\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n"));
    let files = files.with("node/server.js", text(""));
    // A panic's message begins with the folder's name.
    let folder = work.path().join("functions");
    write(&files, &folder).expect("the project is written");
    let built = Built::of(&folder, "hostile");
    let mut problems = Vec::new();
    let mut check = |what: &str, variables: &[(&str, &str)]| match built.run(what, variables, b"") {
        Ok(said) => println!("{what}: {said}"),
        Err(said) => problems.push(format!("{what}: {said}")),
    };
    for what in ["direct", "traps", "overflow", "threads", "forks", "cost"] {
        check(what, &[]);
    }
    check("memory", &[("TIERUP_CALL_MEMORY", "64")]);
    check("late", &[("TIERUP_CALL_TIMEOUT", "0.2")]);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let refused = |variables: &[(&str, &str)]| built.run("ready", variables, b"").expect("it says whether it is ready");
    assert_eq!(refused(&[]).trim(), "Ok(())");
    assert_eq!(
        refused(&[("TIERUP_CALL_TIMEOUT", "1e3")]).trim(),
        r#"Err("TIERUP_CALL_TIMEOUT must be a number of seconds above 0, up to 1000000, such as 2.5, got `1e3`")"#
    );
    assert_eq!(
        refused(&[("TIERUP_CALL_MEMORY", "5000")]).trim(),
        r#"Err("TIERUP_CALL_MEMORY must be a whole number of MiB, from 1 to 4096, got `5000`")"#
    );
    built.is_refused_where_it_does_not_fit();
}

struct Built {
    project: Project,
    root: PathBuf,
    program: PathBuf,
}

impl Built {
    /// Builds `program.rs` with a project's functions, both in the sandbox and without it.
    fn of(folder: &Path, name: &str) -> Built {
        let mut project = hosts::open(folder).expect("it is a sound project").project;
        // In the shared build folder, these crates must differ from those of the project's own `.tierup/`.
        project.interface.version.push_str("-sandboxed");
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sandbox").join(name);
        let machine = Machine::this();
        let members = ["calls", "core", "sandbox", "sandboxed"].map(str::to_owned);
        let mut files = shims::workspace(&project, &members);
        for part in
            [shims::calls(&project), shims::core(&project), shims::sandbox(&project), program(&project.interface, name)]
        {
            part.iter().for_each(|(path, content)| files.add(path, content));
        }
        write(&files, &root).expect("the workspace is written");
        let cache = env::var_os("TIERUP_CACHE").map_or_else(|| root.join("cache"), PathBuf::from);
        let environment = vec![("CARGO_BUILD_BUILD_DIR".into(), BUILD_DIR.into())];
        let workshop = Workshop { root: root.clone(), cache, environment, this_machine: this_machine() };
        for step in shims::precompiled(&project) {
            carry_out(&step, &workshop, &mut Quiet).unwrap_or_else(|error| panic!("{error}\n{error:?}"));
        }
        let program = root.join("target").join(this_machine()).join("sandbox").join(machine.program("sandboxed"));
        let built = Built { project, root, program };
        built.build();
        built
    }

    fn build(&self) {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.env("CARGO_BUILD_BUILD_DIR", BUILD_DIR);
        cargo.args(["build", "--quiet", "--profile", "sandbox", "--package", "sandboxed", "--target-dir", "target"]);
        // Names the target, as the hosts' recipes do: otherwise cargo would compile everything again.
        cargo.args(["--target", &this_machine()]);
        let built = cargo.current_dir(&self.root).output().expect("cargo starts");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    }

    /// The program's output, as an error if the program fails.
    fn run(&self, what: &str, variables: &[(&str, &str)], input: &[u8]) -> Result<String, String> {
        let mut command = Command::new(&self.program);
        command.arg(what).env_remove("TIERUP_CALL_TIMEOUT").env_remove("TIERUP_CALL_MEMORY");
        command.envs(variables.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("its standard input");
        let input = input.to_vec();
        // The program reads all input before it answers, but may end early.
        let feeding = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().expect("it ends");
        let _ = feeding.join();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        match output.status.success() {
            true => Ok(said),
            false => Err(format!("{}\n{said}\n{}", output.status, String::from_utf8_lossy(&output.stderr))),
        }
    }

    /// Modules compiled with other settings, or by another version of wasmtime, are refused.
    fn is_refused_where_it_does_not_fit(&self) {
        let compiled = self.root.join("sandbox/compiled");
        let plain = fs::read(compiled.join("core.cwasm")).expect("the module");
        let timed = fs::read(compiled.join("core-timed.cwasm")).expect("the module");
        let version = b"48.0.8";
        let place = plain.windows(version.len()).position(|bytes| bytes == version).expect("wasmtime's version");
        let mut other = plain.clone();
        other[place] = b'9';
        for (module, reason) in [(timed, "epoch interruption"), (other, "incompatible version '98.0.8'")] {
            fs::write(compiled.join("core.cwasm"), module).expect("it is written");
            self.build();
            let said = self.run("ready", &[], b"").expect("it says why");
            println!("{said}");
            assert!(said.starts_with("Err(\"2:core cannot run on this machine: ") && said.contains(reason), "{said}");
            assert!(said.contains("run `tierup build`"), "{said}");
        }
        fs::write(compiled.join("core.cwasm"), plain).expect("it is written");
    }
}

fn program(interface: &Interface, feature: &str) -> Files {
    let dependency = format!(
        "[features]\nalike = []\nhostile = []\ndefault = [{feature:?}]\n\n[dependencies]\nlibc = \"0.2\"\n\
         tierup-calls = {{ path = \"../calls\" }}\ntierup-sandbox = {{ path = \"../sandbox\" }}\n"
    );
    Files::new()
        .with("sandboxed/Cargo.toml", shims::manifest(interface, "sandboxed", &dependency))
        .with("sandboxed/src/main.rs", include_str!("program.rs"))
}

fn this_machine() -> String {
    let about = Command::new("rustc").arg("-vV").output().expect("rustc is there");
    let about = String::from_utf8_lossy(&about.stdout).into_owned();
    about.lines().find_map(|line| line.strip_prefix("host: ")).expect("its target").to_owned()
}
