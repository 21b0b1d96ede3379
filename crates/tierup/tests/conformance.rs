//! Every host passes `conformance/` in every variant: all edge values through all functions, through the driver.
//!
//! Not part of a plain `cargo test`: it builds the project first, which takes minutes. `cargo xtask test` runs it;
//! `TIERUP_CONFORMANCE_HOSTS` names some of the hosts (`node,go`).

use std::{env, path::Path, time::Duration};

use tierup::hosts;
use tierup_check::outcome;
use tierup_codegen::{
    Machine, Row, Tier, Variant,
    abi::{Value, encode_arguments},
};
use tierup_model::{DefinitionKind, Function, Integer, Interface, Type};
use tierup_parity::{Outcome, edge_arguments};
use tierup_runner::{Driver, capture};

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn every_host_answers_alike_in_every_variant() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let chosen = env::var("TIERUP_CONFORMANCE_HOSTS").ok();
    build(&folder, chosen.as_deref());
    let project = hosts::open(&folder).expect("conformance/ is a sound project");
    let interface = &project.project.interface;
    let is_chosen = |host: &str| chosen.as_ref().is_none_or(|list| list.split(',').any(|name| name == host));
    for host in hosts::all().into_iter().filter(|host| is_chosen(host.name())) {
        let Some(settings) = project.host(host.name()) else { continue };
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

fn build(folder: &Path, hosts: Option<&str>) {
    let tierup = env!("CARGO_BIN_EXE_tierup");
    let folder_name = folder.display().to_string();
    let hosts = hosts.into_iter().flat_map(|list| ["--hosts", list]);
    let arguments = ["build", "--tiers", "all", &folder_name].into_iter().chain(hosts);
    let command = tierup_codegen::Command::new(tierup, arguments);
    if let Err(error) = capture(&command, folder) {
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
    let answer = driver
        .call(&Row::Variant(variant), number as u32, 1, &bytes, PATIENCE)
        .unwrap_or_else(|error| panic!("{variant} {}: {error}", function.name));
    outcome(answer.ending, function, interface)
}
