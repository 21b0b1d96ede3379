//! `tierup build`: every variant of a project, for its hosts.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use tierup_codegen::{Row, Variant};
use tierup_project::Loaded;
use tierup_report::text::aligned;
use tierup_rows::{BuildResult, Mode, VariantOutcome, Wanted, build, impossible, stub};
use tierup_runner::Observer as _;

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::{self, open},
};

/// Build every variant of a project
///
/// For 2:bindgen and 2:component, tierup first builds their tools: once for each version of tierup, in the folder that
/// TIERUP_CACHE names or in the user's cache.
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".")]
    project: PathBuf,
    /// Only for these hosts, e.g. `node,python`
    #[arg(long, value_delimiter = ',', value_name = "HOST,…")]
    hosts: Vec<String>,
    /// Only these tiers or variants, e.g. `3,2:core`; each must then build
    #[arg(long, value_delimiter = ',', value_name = "TIER,…", default_value = "all")]
    tiers: Vec<Tiers>,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

#[derive(Clone)]
enum Tiers {
    All,
    Row(Row),
}

impl std::str::FromStr for Tiers {
    type Err = tierup_codegen::ParseRowError;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        if text == "all" { Ok(Tiers::All) } else { text.parse().map(Tiers::Row) }
    }
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let loaded = open(&arguments.project)?;
    let wanted = wanted(arguments, &loaded, console)?;
    let outcomes = build(&loaded, &wanted, console)?;
    if let Some(advice) = stub::advice(&loaded, wanted.hosts.iter().map(|(host, _)| *host)) {
        console.note(&advice);
    }
    console.data(&if arguments.json { as_json(&outcomes) } else { as_table(&loaded, &outcomes) })
}

fn wanted<'a>(arguments: &Arguments, loaded: &'a Loaded, console: &Console) -> Result<Wanted<'a>> {
    let hosts = hosts::of_project(loaded, &arguments.hosts, console)?;
    let hosts: Vec<_> = hosts.into_iter().filter_map(|host| Some((host, loaded.host(host.name())?))).collect();
    let mut variants = Vec::new();
    for tiers in &arguments.tiers {
        match tiers {
            Tiers::All => return Ok(Wanted { hosts, variants: Variant::ALL.to_vec(), mode: Mode::Possible }),
            Tiers::Row(Row::Tier(tier)) => variants.extend(Variant::at(*tier)),
            Tiers::Row(Row::Variant(variant) | Row::Alternative(variant, _)) => variants.push(*variant),
            // The baseline is the user's own code, so there is nothing to build.
            Tiers::Row(Row::Baseline(_) | Row::Free | Row::Wrapped(_)) => {}
        }
    }
    // A tier stands for those of its variants that a host supports.
    let named = |variant: &Variant| {
        arguments.tiers.iter().any(|tiers| matches!(tiers, Tiers::Row(row) if row.variant() == Some(*variant)))
    };
    let possible = |variant: &Variant| hosts.iter().any(|(host, _)| impossible(loaded, *host, *variant).is_none());
    let asked = !variants.is_empty();
    variants.retain(|variant| named(variant) || possible(variant));
    if asked && variants.is_empty() {
        return Err(Failure::usage("this project supports none of these tiers")
            .hint("`tierup hosts` lists what each host supports"));
    }
    Ok(Wanted { hosts, variants, mode: Mode::Asked })
}

fn as_table(loaded: &Loaded, outcomes: &[VariantOutcome]) -> String {
    let rows: Vec<_> = outcomes
        .iter()
        .map(|outcome| {
            let start = [outcome.host.to_owned(), outcome.variant.name()];
            let rest = match &outcome.result {
                BuildResult::Built { place, bytes, seconds } => {
                    ["built".into(), format!("{seconds:.1} s"), kib(*bytes), loaded.shown(place)]
                }
                BuildResult::No(reason) => ["no".into(), String::new(), String::new(), reason.clone()],
            };
            let ([host, variant], [state, seconds, size, place]) = (start, rest);
            [host, variant, state, seconds, size, place]
        })
        .collect();
    aligned(["host", "variant", "", "time", "size", "where"], &rows)
}

fn as_json(outcomes: &[VariantOutcome]) -> String {
    let outcome = |outcome: &VariantOutcome| {
        let (host, variant) = (outcome.host, outcome.variant.name());
        match &outcome.result {
            BuildResult::Built { place, bytes, seconds } => {
                json!({ "host": host, "variant": variant, "built": true, "bytes": bytes, "seconds": seconds, "path": place })
            }
            BuildResult::No(reason) => json!({ "host": host, "variant": variant, "built": false, "reason": reason }),
        }
    };
    format!("{:#}", outcomes.iter().map(outcome).collect::<Value>())
}

fn kib(bytes: u64) -> String {
    format!("{} KiB", bytes.div_ceil(1024))
}
