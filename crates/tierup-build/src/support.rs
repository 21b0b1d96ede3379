//! What a host can never build for a project, on this machine.

use tierup_codegen::{Host, Machine, Support, Variant};
use tierup_project::Loaded;

/// Why a variant of a host can never be built for this project.
pub fn impossible(loaded: &Loaded, host: &dyn Host, variant: Variant) -> Option<String> {
    if variant == Variant::Server && loaded.project.server == tierup_codegen::Server::None {
        return Some("tierup.toml has neither a [[route]] nor a [server]".into());
    }
    match host.support(variant, &Machine::this()) {
        Support::Yes => None,
        Support::No(reason) => Some(reason),
    }
}
