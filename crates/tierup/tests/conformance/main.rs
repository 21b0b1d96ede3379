//! Every host passes `conformance/`, through its driver: all edge values through all functions in every variant, and the
//! scenarios, which show what a package promises in every language.
//!
//! Not part of a plain `cargo test`: it builds the project first, which takes minutes. `cargo xtask test` runs it;
//! `TIERUP_CONFORMANCE_HOSTS` names some of the hosts (`node,go`), and `TIERUP_CONFORMANCE_SCENARIOS` parts of the names of
//! some scenarios (`stack,16 MiB`).

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod failures;
mod limits;
mod memo;
mod metrics;
mod processes;
mod rollout;
mod server;
mod starts;

use std::{
    env,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock},
    thread,
    time::{Duration, Instant},
};

use tierup::hosts;
use tierup_check::outcome;
use tierup_codegen::{
    Host, Machine, Row, Support, Tier, Variant, Wrapping,
    abi::{Value, encode_arguments},
};
use tierup_model::{DefinitionKind, Function, Integer, Interface, Type};
use tierup_parity::{Outcome, edge_arguments};
use tierup_runner::{Driver, capture};

use server::Server;

/// Comparing calls has the lowest priority.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn every_host_answers_alike_in_every_variant() {
    let project = hosts::open(built()).expect("conformance/ is a sound project");
    let folder = &project.folder;
    let interface = &project.project.interface;
    for (host, settings) in project.hosts.iter().filter(|(host, _)| is_chosen(*host)) {
        let (_, command) = host.driver(&project.project, settings);
        let mut driver = Driver::start(&command, &folder.join(".tierup"), &[]).expect("the driver starts");
        let mut variants = host.supported(&Machine::this());
        variants.retain(|variant| *variant != Variant::Server);
        let mut problems = Vec::new();
        let mut calls = 0;
        let stateless = interface.functions.iter().enumerate().filter(|(_, function)| function.name != "count_calls");
        for (number, function) in stateless {
            for arguments in edge_arguments(function, interface) {
                // A function that echoes must return its argument. For others, the first variant's answer is the
                // reference; the host's own tests check that it is right.
                let mut expected = function.name.starts_with("echo_").then(|| Outcome::Ok(arguments.first().cloned()));
                for variant in &variants {
                    calls += 1;
                    let found = call(&mut driver, *variant, number, function, &arguments, interface);
                    let expected = expected.get_or_insert_with(|| found.clone());
                    // Wasm has 32 bits, so it must refuse a larger `usize` with this message.
                    let too_large = variant.tier() == Tier::Wasm && exceeds_32_bits(&arguments, function, interface);
                    let right = match &found {
                        Outcome::Refused(words) => too_large && words.contains("a size does not fit this machine"),
                        found => !too_large && alike(expected, found),
                    };
                    if !right {
                        let shown = format!("{arguments:?}");
                        let shown: String = shown.chars().take(200).collect();
                        let (name, found) = (&function.name, found.to_string());
                        problems.push(format!("{variant} {name}({shown}): {found:.300}, not {expected}"));
                    }
                }
            }
        }
        assert!(calls > 1000, "only {calls} calls were made");
        assert!(
            problems.is_empty(),
            "{} of {calls} calls differ:\n{}",
            problems.len(),
            problems[..problems.len().min(40)].join("\n")
        );
        println!("{}: {calls} calls answered alike", host.title());
    }
}

#[test]
fn every_host_keeps_its_promises() {
    let project = hosts::open(built()).expect("conformance/ is a sound project");
    let hosts = project.hosts.iter().map(|(host, _)| *host).filter(|host| is_chosen(*host));
    let hosts: Vec<_> = hosts.collect();
    let part = env::var("TIERUP_CONFORMANCE_SCENARIOS").unwrap_or_default();
    let all = [
        failures::SCENARIOS,
        limits::SCENARIOS,
        memo::SCENARIOS,
        metrics::SCENARIOS,
        rollout::SCENARIOS,
        starts::SCENARIOS,
    ]
    .concat();
    let all = all.iter().filter(|(name, ..)| part.split(',').any(|part| name.contains(part)));
    let all = all.flat_map(|scenario| hosts.iter().map(move |host| (*host, scenario)));
    // A new host may lack 0:memo, with which the names of its scenarios begin.
    let has = |host: &dyn Host, name: &str| !name.starts_with("0:memo ") || host.wraps(Wrapping::Memo) == Support::Yes;
    let all = all.filter(|(host, (name, ..))| has(*host, name));
    let (next, failed) = (Mutex::new(all), Mutex::new(Vec::new()));
    // The lock is not held while one runs.
    let take = || next.lock().unwrap().next();
    let work = || {
        while let Some((host, (name, lines, scenario))) = take() {
            let name = format!("{}: {name}", host.title());
            let begin = Instant::now();
            // One that fails must not hide others. Its message is printed at once.
            if catch_unwind(AssertUnwindSafe(|| scenario(Server::new(host, &project, lines)))).is_err() {
                failed.lock().unwrap().push(name.clone());
            }
            println!("{name}: {:.1} s", begin.elapsed().as_secs_f64());
        }
    };
    // They mostly wait: packages read the control file once a second.
    thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(work))));
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The hosts to test; all of them without a list.
fn chosen() -> Option<String> {
    env::var("TIERUP_CONFORMANCE_HOSTS").ok()
}

fn is_chosen(host: &dyn Host) -> bool {
    chosen().is_none_or(|list| list.split(',').any(|name| name == host.name()))
}

/// Any two panics are alike: their message contains a source path that differs between builds.
fn alike(expected: &Outcome, found: &Outcome) -> bool {
    match (expected, found) {
        (Outcome::Panic(_), Outcome::Panic(_)) => true,
        _ => expected == found,
    }
}

/// Whether a `usize` or `isize` among the arguments needs more than 32 bits.
fn exceeds_32_bits(arguments: &[Value], function: &Function, interface: &Interface) -> bool {
    fn within(value: &Value, ty: &Type, interface: &Interface) -> bool {
        let each = |values: &[Value], types: Vec<&Type>| {
            values.iter().zip(types).any(|(value, ty)| within(value, ty, interface))
        };
        match (value, ty) {
            (Value::Integer(value), Type::Integer(Integer::Usize)) => u32::try_from(*value).is_err(),
            (Value::Integer(value), Type::Integer(Integer::Isize)) => i32::try_from(*value).is_err(),
            (Value::Optional(Some(value)), Type::Optional(inner)) => within(value, inner, interface),
            (Value::List(values), Type::List(inner)) => values.iter().any(|value| within(value, inner, interface)),
            (Value::Map(values), Type::Map(inner)) => values.values().any(|value| within(value, inner, interface)),
            (Value::Record(values), Type::Defined(index)) => match &interface.definitions[*index].kind {
                DefinitionKind::Record(fields) => each(values, fields.iter().map(|field| &field.ty).collect()),
                DefinitionKind::Enum(_) => false,
            },
            // No enum of the conformance functions contains a size.
            _ => false,
        }
    }
    arguments.iter().zip(&function.parameters).any(|(value, parameter)| within(value, &parameter.ty, interface))
}

/// The project, which is built once for both tests.
fn built() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
        let chosen = chosen();
        let hosts = chosen.iter().flat_map(|list| ["--hosts", list]);
        let arguments = ["build", "--tiers", "all", "."].into_iter().chain(hosts);
        let command = tierup_codegen::Command::new(env!("CARGO_BIN_EXE_tierup"), arguments);
        if let Err(error) = capture(&command, &folder) {
            panic!("{error}\n{error:?}");
        }
        folder
    })
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
    let answer = driver
        .call(&Row::Variant(variant), number as u32, 1, &bytes, PATIENCE)
        .unwrap_or_else(|error| panic!("{variant} {}: {error}", function.name));
    outcome(answer.ending, function, interface)
}
