//! `tierup hosts`: what each host supports, and the reasons for gaps.

use clap::Args;
use serde_json::{Value, json};
use tierup_codegen::{Host, Machine, Row, Support, Variant, Wrapping};
use tierup_report::text::aligned;

use crate::{console::Console, failure::Result, hosts};

/// List the hosts and the variants that each supports
#[derive(Args)]
pub struct Arguments {
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    console.data(&if arguments.json { as_json() } else { as_table() })
}

fn as_table() -> String {
    let mut rows = Vec::new();
    for host in hosts::all() {
        for (variant, support) in wrapped(host).into_iter().chain(variants(host)) {
            let (answer, reason) = match support {
                Support::Yes => ("yes", String::new()),
                Support::No(reason) => ("no", reason),
            };
            rows.push([host.name().to_owned(), variant, answer.to_owned(), reason]);
        }
    }
    aligned(["host", "variant", "", "reason"], &rows)
}

/// The alternatives to try before Rust, and whether the host has them.
fn wrapped(host: &dyn Host) -> Vec<(String, Support)> {
    Wrapping::ALL.map(|wrapping| (Row::Wrapped(wrapping).to_string(), host.wraps(wrapping))).to_vec()
}

fn variants(host: &dyn Host) -> Vec<(String, Support)> {
    Variant::ALL.map(|variant| (variant.name(), host.support(variant, &Machine::this()))).to_vec()
}

fn as_json() -> String {
    let hosts = hosts::all().into_iter().map(|host| {
        let listed = |what: &str, all: Vec<(String, Support)>| -> Vec<Value> {
            let entries = all.into_iter().map(|(name, support)| match support {
                Support::Yes => json!({ what: name, "supported": true }),
                Support::No(reason) => json!({ what: name, "supported": false, "reason": reason }),
            });
            entries.collect()
        };
        let (before_rust, variants) = (listed("row", wrapped(host)), listed("variant", variants(host)));
        json!({ "name": host.name(), "title": host.title(), "before_rust": before_rust, "variants": variants })
    });
    format!("{:#}", json!(hosts.collect::<Vec<_>>()))
}
