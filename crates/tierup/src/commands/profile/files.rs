//! Reads profiles from files. In: their paths, and the host if known. Out: one merged profile, with frames named by the
//! host's rules.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use tierup_codegen::Host;
use tierup_profile::{MOST_BYTES, Naming, Profile, Reading, SourceMaps, read as parsed};
use tierup_project::shown;

use super::source_text;
use crate::{
    failure::{Failure, Result},
    hosts,
};

/// Merges the profiles, as of processes that ran in parallel. Without `host`, uses the one that recognises most frames.
pub(super) fn read(
    files: &[PathBuf],
    host: Option<&'static dyn Host>,
    own: &[String],
    seconds_per_sample: Option<f64>,
) -> Result<Profile> {
    let contents = files.iter().map(|file| Ok((shown(file), bytes(file)?))).collect::<Result<Vec<_>>>()?;
    let all = |naming: Naming<'_>| -> Result<Profile> {
        let mut profile = Profile::default();
        for (name, content) in &contents {
            let reading = Reading { name, naming, seconds_per_sample, torn: false };
            let part = parsed(content, &reading).map_err(|problem| Failure::Diagnostics(vec![*problem]))?;
            if !profile.samples().is_empty() && profile.unit != part.unit {
                return Err(Failure::usage(format!(
                    "`{name}` counts samples, and the profiles before it have seconds, or the reverse"
                ))
                .hint("say with --sample how many milliseconds a sample stands for"));
            }
            profile.append(&part, None);
        }
        Ok(profile)
    };
    let host = match host {
        Some(host) => Some(host),
        None => recognised(&all(Naming::default())?),
    };
    let maps = SourceMaps::new(&source_text);
    let mut profile = all(Naming { rules: host.map_or(&[], |host| host.frames()), own, maps: Some(&maps) })?;
    profile.host = host.map(|host| host.name().to_owned());
    profile.known_costs = host.map_or(&[], |host| host.known_costs());
    Ok(profile)
}

/// The host whose rules recognise most frames as its runtime's or a package's.
fn recognised(profile: &Profile) -> Option<&'static dyn Host> {
    let known = |host: &&'static dyn Host| Naming { rules: host.frames(), own: &[], maps: None }.knows(profile);
    hosts::all().into_iter().filter(|host| known(host) > 0).max_by_key(known)
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    let name = shown(path);
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::usage(format!("there is no file `{name}`")),
        _ => Failure::because(format!("cannot read {name}"), error),
    };
    let mut content = Vec::new();
    // Reads one byte beyond the limit, so that the parser refuses the file.
    File::open(path).map_err(cannot)?.take(MOST_BYTES as u64 + 1).read_to_end(&mut content).map_err(cannot)?;
    Ok(content)
}
