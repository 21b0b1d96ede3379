//! The host's two variants answer every function of `conformance/` alike, by way of its driver, and what only Perl can
//! show: `tests/perl/`.
//!
//! Not part of a plain `cargo test`: it builds a program first. `cargo xtask test conformance` runs it;
//! `TIERUP_CONFORMANCE_HOSTS` leaves it out if it names other hosts.

// Windows has neither the variants nor the driver: see `support` in `src/lib.rs`.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod project;

use std::env;
use std::path::Path;
use std::time::Duration;

use tierup_check::outcome;
use tierup_codegen::{
    Command, Row, Variant,
    abi::{Value, encode_arguments},
};
use tierup_host_perl::perl;
use tierup_model::{Function, Interface};
use tierup_parity::{Outcome, edge_arguments};
use tierup_project::Loaded;
use tierup_rows::{Mode, Wanted, build_packages};
use tierup_runner::{Driver, Quiet, capture};

use project::conformance;

const PATIENCE: Duration = Duration::from_secs(60);
const VARIANTS: [Variant; 2] = [Variant::Spawn, Variant::Pool];

#[test]
fn both_variants_answer_every_function_alike() {
    let chosen = env::var("TIERUP_CONFORMANCE_HOSTS").ok();
    if chosen.is_some_and(|hosts| hosts.split(',').all(|host| host != perl().name())) {
        println!("TIERUP_CONFORMANCE_HOSTS names other hosts: perl is left out");
        return;
    }
    let loaded = build();
    let interface = &loaded.project.interface;
    let (_, command) = perl().driver(&loaded.project, loaded.host(perl().name()).unwrap());
    let mut driver = Driver::start(&command, &loaded.work, &[]).unwrap();
    let (mut calls, mut problems) = (0, Vec::new());
    // Each process of `1:spawn` counts from 1.
    let stateless = interface.functions.iter().enumerate().filter(|(_, function)| function.name != "count_calls");
    for (number, function) in stateless {
        for arguments in edge_arguments(function, interface) {
            let mut expected = expected(function, &arguments);
            for variant in VARIANTS {
                calls += 1;
                let found = call(&mut driver, variant, number, function, &arguments, interface);
                let expected = expected.get_or_insert_with(|| found.clone());
                if !alike(expected, &found) {
                    let (name, found) = (&function.name, found.to_string());
                    problems.push(format!("{variant} {name}({arguments:.200?}): {found:.300}, not {expected}"));
                }
            }
        }
    }
    assert!(calls > 1000, "only {calls} calls were made");
    let shown = &problems[..problems.len().min(40)];
    assert!(problems.is_empty(), "{} of {calls} calls differ:\n{}", problems.len(), shown.join("\n"));
    drop(driver);
    in_perl(&loaded.work);
}

/// What must come back, as far as the arguments tell: what echoes gives its argument, and these functions say how they end.
/// For the rest, the first variant's answer is what the second is compared with.
fn expected(function: &Function, arguments: &[Value]) -> Option<Outcome> {
    let text = |place: usize| match &arguments[place] {
        Value::Text(text) => text.clone(),
        other => panic!("{other:?} is not text"),
    };
    match &*function.name {
        "fail" => Some(Outcome::Error(text(0))),
        "panic_with" => Some(Outcome::Panic(text(0))),
        "do_nothing" => Some(Outcome::Ok(None)),
        name => name.starts_with("echo_").then(|| Outcome::Ok(arguments.first().cloned())),
    }
}

/// The message of a panic ends with its place in the source.
fn alike(expected: &Outcome, found: &Outcome) -> bool {
    match (expected, found) {
        (Outcome::Panic(expected), Outcome::Panic(found)) => found.starts_with(expected.as_str()),
        _ => expected == found,
    }
}

/// Builds both variants as `tierup build` would if it listed this host.
fn build() -> Loaded {
    let loaded = conformance("perl-conformance");
    let hosts = vec![(perl(), loaded.host(perl().name()).unwrap())];
    let wanted = Wanted { hosts, variants: VARIANTS.to_vec(), mode: Mode::Asked };
    build_packages(&loaded, &wanted, &mut Quiet).unwrap_or_else(|error| panic!("{error:?}"));
    loaded
}

/// `tests/perl/calls.pl`: what the package does with processes that end or hang, and in a server that forks.
fn in_perl(work: &Path) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/perl");
    let library = work.join("perl/lib").display().to_string();
    let arguments = ["-I", &library, "calls.pl"];
    if let Err(error) = capture(&Command::new("perl", arguments), &tests) {
        panic!("{error}\n{error:?}");
    }
}

fn call(
    driver: &mut Driver,
    variant: Variant,
    number: usize,
    function: &Function,
    arguments: &[Value],
    interface: &Interface,
) -> Outcome {
    let bytes = encode_arguments(arguments, function, interface).expect("values of their types");
    let answer = driver.call(&Row::Variant(variant), number as u32, 1, &bytes, PATIENCE).unwrap();
    outcome(answer.ending, function, interface)
}
