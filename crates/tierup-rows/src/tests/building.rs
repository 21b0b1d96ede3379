//! Builds that fail: what is left out, what ends the command, and what the user is told to do.

use std::fs;

use tierup_codegen::{Command, Step, Variant};
use tierup_diagnostic::{Exit, Failure};
use tierup_project::Loaded;
use tierup_runner::{BuildRecord, Quiet, Workshop};

use super::{at, project};
use crate::{
    BuildResult, Mode,
    assemble::{CommonShim, assemble},
    build_server, build_server_with,
    builder::Builder,
    resolve::LeftOut,
};

fn builder(loaded: &Loaded, mode: Mode) -> Builder<'_> {
    fs::create_dir_all(&loaded.work).unwrap();
    let (root, cache) = (loaded.work.clone(), loaded.work.join("cache"));
    Builder {
        loaded,
        hosts: vec![tierup_host_node::node()],
        plan: assemble(loaded).unwrap(),
        left_out: LeftOut::default(),
        no_wasm: None,
        workshop: Workshop { root, cache, environment: Vec::new(), this_machine: "this".to_owned() },
        mode,
        shared: Vec::new(),
    }
}

/// A step of a build that fails like this.
fn fails(output: &str) -> [Step; 1] {
    [Step::Run(Command::new("sh", ["-c", &format!("echo '{output}' >&2; exit 101")]))]
}

#[test]
fn a_crate_that_is_nothing_for_wasm_is_left_out_unless_that_was_asked_for() {
    let (_folder, loaded) = project(&[tierup_host_node::node()], "");
    let steps = fails("error: cannot find threads\nerror: could not compile `words` (lib)");
    let run = |mode, variant| builder(&loaded, mode).steps(&steps, variant, &mut Quiet);
    let reason = run(Mode::Possible, Variant::Core).unwrap().unwrap_err();
    assert_eq!(reason, "`words` does not compile to wasm32-unknown-unknown: cannot find threads");
    // A failed build is an error if the variant was requested, or needs no Wasm.
    for (mode, variant, target) in
        [(Mode::Asked, Variant::Core, " --target wasm32-unknown-unknown"), (Mode::Possible, Variant::Native, "")]
    {
        let said = run(mode, variant).unwrap_err().to_string();
        assert!(said.contains(&format!("your crate `words` does not compile, for {variant}")), "{said}");
        assert!(said.contains("cannot find threads") && said.contains(&format!("`cargo check{target}` in ")), "{said}");
    }
}

#[test]
fn another_crates_error_has_another_next_step() {
    let (_folder, loaded) = project(&[tierup_host_node::node()], "");
    let steps = fails("error: could not compile `words-of-others` (lib)");
    let said = builder(&loaded, Mode::Asked).steps(&steps, Variant::Native, &mut Quiet).unwrap_err().to_string();
    assert!(!said.contains("your crate"), "{said}");
    assert!(said.contains("fix the error above and build again; `--tiers` can leave 3:native out"), "{said}");
}

#[test]
fn a_crate_that_failed_is_not_built_again_for_the_next_variant() {
    let node = tierup_host_node::node();
    let (_folder, loaded) = project(&[node], "");
    let mut builder = builder(&loaded, Mode::Possible);
    builder.shared.push((CommonShim::Cli, Err("it failed before".to_owned())));
    let mut record = BuildRecord::open(&loaded.work.join("node"), "abi").unwrap();
    for variant in [Variant::Spawn, Variant::Pool] {
        let BuildResult::No(reason) = builder.variant(node, variant, &mut record, &mut Quiet).unwrap() else {
            panic!("{variant} is built")
        };
        assert_eq!(reason, "it failed before");
    }
    let kept = fs::read_to_string(loaded.work.join("node/built.json")).unwrap();
    assert!(kept.contains("it failed before") && kept.contains("1:pool"), "{kept}");
}

#[test]
fn without_the_wasm_target_tier_2_alone_has_a_reason() {
    let node = tierup_host_node::node();
    let (_folder, loaded) = project(&[node], "");
    let mut builder = builder(&loaded, Mode::Possible);
    builder.no_wasm = Some("there is no target".to_owned());
    let mut record = BuildRecord::open(&loaded.work.join("node"), "abi").unwrap();
    let BuildResult::No(reason) = builder.variant(node, Variant::Core, &mut record, &mut Quiet).unwrap() else {
        panic!("it is built")
    };
    assert_eq!(reason, "there is no target");
}

#[test]
fn a_variant_that_was_asked_for_and_no_host_has_is_wrong_usage() {
    let node = tierup_host_node::node();
    let (_folder, loaded) = project(&[node], "");
    let mut record = BuildRecord::open(&loaded.work.join("node"), "abi").unwrap();
    let mut built = |mode| builder(&loaded, mode).variant(node, Variant::Server, &mut record, &mut Quiet);
    assert!(matches!(built(Mode::Possible), Ok(BuildResult::No(_))));
    let failure = built(Mode::Asked).err().unwrap();
    assert!(
        failure.to_string().contains("4:server is not supported for Node.js: tierup.toml has neither"),
        "{failure}"
    );
    assert_eq!(failure.exit(), Exit::Usage);
}

#[test]
fn a_server_is_built_by_its_own_command_in_its_own_folder() {
    let node = tierup_host_node::node();
    let (_folder, loaded) = project(&[node], "");
    let mut settings = at(&loaded, node).settings.clone();
    let mut build = |script: &str| {
        settings.prepare = ["sh", "-c", script].map(str::to_owned).to_vec();
        build_server_with(&loaded, &settings, &[("WITH".to_owned(), "more".to_owned())], &mut Quiet)
    };
    build("echo $WITH > made.txt").unwrap();
    assert_eq!(fs::read_to_string(loaded.folder.join("node/made.txt")).unwrap(), "more\n");
    let said = build("echo no such module >&2; exit 1").unwrap_err().to_string();
    assert!(said.contains("no such module") && said.contains("this command is `prepare` in tierup.toml"), "{said}");
    settings.prepare.clear();
    build_server(&loaded, &settings, &mut Quiet).unwrap();
}

#[test]
fn what_is_built_is_held_by_several_and_changed_by_one() {
    let (_folder, loaded) = project(&[tierup_host_node::node()], "");
    let first = crate::hold(&loaded, &Quiet).unwrap();
    let second = crate::hold(&loaded, &Quiet).unwrap();
    drop((first, second));
    // Both holders have released the folder: otherwise this would wait.
    let lock: Result<_, Failure> = crate::packages::lock(&loaded, &Quiet);
    assert!(lock.is_ok() && loaded.work.join("lock").exists());
}
