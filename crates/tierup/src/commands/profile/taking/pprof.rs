//! `tierup profile --pprof`: fetches profiles that a running server takes of itself, such as by Go's `net/http/pprof`.
//! In: its URL. Out: the profile. Sends no other requests to the server.

use std::path::Path;

use tierup_profile::{Naming, rank};
use tierup_project::{Source, requests};
use tierup_runner::{Interrupts, Observer as _};
use tierup_sampling::{BLOCKS, Fetching, fetch, own_pprof};
use tierup_subject::{Standing, prepare};

use super::{Shown, TakenHere, Taking, assembled, failure, only_sensed, unreachable};
use crate::{
    console::Console,
    failure::{Failure, Result},
    measure::seed,
};

/// The default host, as its servers usually have such a URL.
const HOST: &str = "go";
/// This sensor writes no files.
const NO_FOLDER: &str = "/dev/null";

impl Taking {
    pub(super) fn fetch(
        &self,
        url: &str,
        host: Option<&str>,
        own: &[String],
        console: &mut Console,
    ) -> Result<TakenHere> {
        if self.requests.is_some() || self.url.is_some() {
            return Err(Failure::usage("--pprof profiles a server under the traffic that it has")
                .hint("leave --url and --requests out, and load the server with a tool of your own"));
        }
        let host = super::super::host(host.unwrap_or(HOST))?;
        let (standing, target) = Standing::at(url).map_err(unreachable)?;
        // The server's parameter is in whole seconds.
        let seconds = (self.duration / BLOCKS as u32).as_secs().max(1);
        let target = profile_of(&target, seconds);
        let (set, _) = requests(&Source::Target(target), seed(), console)?;
        let prepared = prepare(set.requests.iter(), &standing.authority);
        let prepared = prepared.map_err(|error| Failure::usage(format!("cannot use `{url}`: {error}")))?;
        let interrupts = Interrupts::watch();
        let sensor = own_pprof();
        let fetching = Fetching {
            address: standing.address,
            request: &prepared,
            blocks: BLOCKS,
            length: std::time::Duration::from_secs(seconds),
            process: self.pid,
        };
        let taken = fetch(&fetching, &interrupts, &mut Shown { console });
        console.done();
        let taken = taken.map_err(|error| failure(error, &sensor.hint))?;
        let naming = Naming { rules: host.frames(), own, maps: None };
        let profile = assembled(&taken, &sensor, Path::new(NO_FOLDER), (host.name(), naming), console)?;
        Ok(TakenHere {
            ranking: rank(&profile),
            profile,
            title: format!("{}, {}", standing.authority, host.title()),
            sensed: Some(only_sensed(&sensor)),
            routes: None,
            project: None,
        })
    }
}

/// The path and query for a profile of this many seconds.
fn profile_of(target: &str, seconds: u64) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = match path.trim_end_matches('/') {
        "" => "/debug/pprof/profile".to_owned(),
        path if path.ends_with("/profile") => path.to_owned(),
        path => format!("{path}/profile"),
    };
    let others = query.split('&').filter(|part| !part.is_empty() && !part.starts_with("seconds="));
    let query: Vec<String> = others.map(str::to_owned).chain([format!("seconds={seconds}")]).collect();
    format!("{path}?{}", query.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_the_profile_is_completed() {
        assert_eq!(profile_of("/", 4), "/debug/pprof/profile?seconds=4");
        assert_eq!(profile_of("/debug/pprof/", 4), "/debug/pprof/profile?seconds=4");
        assert_eq!(profile_of("/a/profile?x=1&seconds=30", 4), "/a/profile?x=1&seconds=4");
    }
}
