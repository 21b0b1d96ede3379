//! `tierup hosts`: what each host can do, and why not.

use clap::Args;
use serde_json::json;
use tierup_codegen::{Machine, Support, Variant};
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
        for variant in Variant::ALL {
            let (answer, reason) = match host.support(variant, &Machine::this()) {
                Support::Yes => ("yes", String::new()),
                Support::No(reason) => ("no", reason),
            };
            rows.push([host.name().to_owned(), variant.name(), answer.to_owned(), reason]);
        }
    }
    aligned(["host", "variant", "", "reason"], &rows)
}

fn as_json() -> String {
    let hosts = hosts::all().into_iter().map(|host| {
        let variants = Variant::ALL.map(|variant| match host.support(variant, &Machine::this()) {
            Support::Yes => json!({ "variant": variant.name(), "supported": true }),
            Support::No(reason) => json!({ "variant": variant.name(), "supported": false, "reason": reason }),
        });
        json!({ "name": host.name(), "title": host.title(), "variants": variants })
    });
    format!("{:#}", json!(hosts.collect::<Vec<_>>()))
}
