//! Makes the golden call of `[health]` at every baseline and in Rust.

use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tierup_codegen::{Health, Host, HostSettings, Machine, Row, Support, Tier, Variant, abi::content};
use tierup_diagnostic::{Failure, Result};
use tierup_model::Type;
use tierup_project::Loaded;
use tierup_runner::{CallEnding, Driver, Observer};

use crate::{
    builder::{Mode, Wanted},
    hold,
    packages::build,
};

/// The time limit of a call.
const PATIENCE: Duration = Duration::from_secs(60);

/// The SHA-256 of each baseline's answer, then that of Rust's answer, in one host. Builds what the calls need.
///
/// # Errors
/// A build or a call failed.
pub fn golden_hashes(
    loaded: &Loaded,
    host: &'static dyn Host,
    settings: &HostSettings,
    health: &Health,
    observer: &mut dyn Observer,
) -> Result<Vec<(Row, String)>> {
    let (_, command) = host.driver(&loaded.project, settings);
    // Of all variants, the program of tier 1 builds fastest.
    let program =
        Variant::at(Tier::Cli).iter().find(|variant| host.support(**variant, &Machine::this()) == Support::Yes);
    let variants: Vec<Variant> = program.copied().into_iter().collect();
    build(loaded, &Wanted { hosts: vec![(host, settings)], variants: variants.clone(), mode: Mode::Asked }, observer)?;
    let baselines = settings.baselines.iter().map(|(label, _)| Row::Baseline(label.clone()));
    let rows = baselines.chain(variants.into_iter().map(Row::Variant));
    if settings.baselines.is_empty() {
        let title = host.title();
        observer.note(&format!("[host.{}.baseline] has no code for {title}: calling only Rust", host.name()));
    }
    let _held = hold(loaded, observer)?;
    let mut driver = Driver::start(&command, &loaded.work, &[])?;
    rows.map(|row| Ok((row.clone(), hash(&mut driver, loaded, health, &row)?))).collect()
}

fn hash(driver: &mut Driver, loaded: &Loaded, health: &Health, row: &Row) -> Result<String> {
    let function = &loaded.project.interface.functions[health.function];
    let answer = driver.call(row, health.function as u32, 1, &health.arguments, PATIENCE)?;
    let (what, message) = match answer.ending {
        CallEnding::Ok(encoded) => return Ok(hash_of(&encoded, function.output.ty.as_ref())),
        CallEnding::Error(message) => ("failed", message),
        CallEnding::Panic(message) => ("panicked", message),
        CallEnding::Refused(message) => ("was refused", message),
        CallEnding::Lost(message) => ("could not be made", message),
    };
    Err(Failure::no(format!("the golden call of {} at {row} {what}: {message}", function.name))
        .hint("choose a request with a successful answer; every tier must give this answer"))
}

/// The hash of the content of text and bytes, or of the encoding of other types.
fn hash_of(encoded: &[u8], ty: Option<&Type>) -> String {
    sha256(content(encoded, ty))
}

/// The SHA-256 in the form that `sha256sum` prints.
pub(crate) fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_hashed_without_its_encoding() {
        let text = hash_of(b"\x05\0\0\0hello", Some(&Type::Text));
        assert_eq!(text, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
        let encoded = hash_of(b"\x05\0\0\0hello", Some(&Type::Optional(Box::new(Type::Text))));
        assert_ne!(encoded, text);
    }
}
