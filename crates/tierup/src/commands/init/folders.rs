//! Finds the folders of servers by their manifests. In: a folder, and a file of a server. Out: that server's folder, or
//! the folders of all servers.

use std::path::{Path, PathBuf};

use tierup_codegen::Host;
use tierup_rows::OTHERS;

use super::super::starter::names_in;
use crate::hosts;

/// The folder of committed packages (`tierup stub`).
const PACKAGES: &str = "tierup";

/// The folder of a file's server: `root` if it has a host's manifest, else the nearest parent that has one.
pub(super) fn server(root: &Path, host: Option<&dyn Host>, file: &Path) -> PathBuf {
    let holds = |place: &Path| {
        let names = names_in(place);
        host.map_or_else(|| hosts::all().iter().any(|host| host.detects(&names)), |host| host.detects(&names))
    };
    if holds(root) {
        return root.to_owned();
    }
    let mut above = file.ancestors().skip(1).take_while(|place| place.starts_with(root));
    above.find(|place| holds(place)).unwrap_or(root).to_owned()
}

/// The servers in the folders below this one, found by their manifests.
pub(super) fn below(folder: &Path) -> Vec<(PathBuf, &'static dyn Host)> {
    const DEEPEST: usize = 2;
    const MOST: usize = 8;
    let mut found = Vec::new();
    let mut left = vec![(folder.to_owned(), 0)];
    while let Some((place, depth)) = left.pop() {
        let mut names = names_in(&place);
        names.sort();
        found.extend(
            hosts::all().into_iter().find(|host| depth > 0 && host.detects(&names)).map(|host| (place.clone(), host)),
        );
        let is_own = |name: &&String| !name.starts_with('.') && *name != PACKAGES && !OTHERS.contains(&name.as_str());
        let within = names.iter().rev().filter(is_own).map(|name| (place.join(name), depth + 1));
        left.extend(within.filter(|(place, depth)| *depth <= DEEPEST && place.is_dir()));
    }
    found.truncate(MOST);
    found
}
