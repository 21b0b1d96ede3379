//! Envoy's admin address: who it is, which weights are in force, and how many answers it gave.

use std::net::SocketAddr;

use serde_json::Value;
use tierup_rollout::{Part, Weights};

use super::{ENVOY, config::keys};
use crate::{Result, actuator::http::ask};

/// The route's requests, and those that the servers are answering now.
const COUNTED: &str = "/stats?filter=^vhost[.].*[.]route[.]tierup[.]upstream_rq_total$|\
                       ^cluster[.]tierup-(control|candidate|twin)[.]upstream_rq_active$";

/// What `/server_info` says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Info {
    /// `node.id`.
    pub(super) node: String,
    /// How late, in seconds, a line reaches the log's file.
    pub(super) flush: f64,
}

pub(super) fn info(address: SocketAddr) -> Result<Info> {
    let asked = ask(ENVOY, address, "/server_info")?;
    let info = || {
        let info: Value = serde_json::from_str(&asked.body).ok()?;
        let flush = info["command_line_options"]["file_flush_interval"].as_str()?;
        let flush = flush.strip_suffix('s')?.parse().ok()?;
        Some(Info { node: info["node"]["id"].as_str()?.to_owned(), flush })
    };
    info().ok_or_else(|| asked.refused(ENVOY, "/server_info"))
}

/// The weights in force, after an operator's overrides; `None` if they are no weights of a judge.
pub(super) fn weights(address: SocketAddr) -> Result<Option<Weights>> {
    let asked = ask(ENVOY, address, "/runtime")?;
    let runtime: Value = serde_json::from_str(&asked.body).map_err(|_| asked.refused(ENVOY, "/runtime"))?;
    Ok(in_force(&runtime))
}

fn in_force(runtime: &Value) -> Option<Weights> {
    let part = |key: &str, or: u16| {
        let value = runtime["entries"][key]["final_value"].as_str();
        Part::of_ten_thousand(value.map_or(Some(or), |value| value.parse().ok())?).ok()
    };
    // Without a value, the route's own number holds.
    let [candidate, control, twin] = keys(Weights::CONTROL_ONLY);
    let weights = Weights { candidate: part(candidate.0, candidate.1)?, twin: part(twin.0, twin.1)? };
    let expected = keys(weights)[1].1;
    (part(control.0, control.1)?.ten_thousandths() == expected).then_some(weights)
}

/// How many shared requests Envoy has had since it started, and how many the servers are answering; `None` if its
/// configuration lacks the route or a server.
pub(super) fn requests(address: SocketAddr) -> Result<Option<(u64, u64)>> {
    let asked = ask(ENVOY, address, COUNTED)?;
    let counts: Vec<(&str, u64)> = asked
        .body
        .lines()
        .filter_map(|line| line.rsplit_once(": ").and_then(|(name, count)| Some((name, count.parse().ok()?))))
        .collect();
    let (routes, servers): (Vec<_>, Vec<_>) = counts.into_iter().partition(|(name, _)| name.starts_with("vhost."));
    let sum = |counts: &[(&str, u64)]| counts.iter().map(|(_, count)| count).sum();
    Ok((!routes.is_empty() && servers.len() == 3).then(|| (sum(&routes), sum(&servers))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn weights_are_what_the_layers_leave() {
        let check = |[candidate, control, twin]: [Option<&str>; 3]| {
            let entry = |value: Option<&str>| value.map_or(Value::Null, |value| json!({ "final_value": value }));
            in_force(&json!({ "entries": {
                "tierup.weight.tierup-candidate": entry(candidate),
                "tierup.weight.tierup-control": entry(control),
                "tierup.weight.tierup-twin": entry(twin),
            } }))
        };
        let five = Weights::with_twin("5%".parse().expect("a part"));
        assert_eq!(check([Some("500"), Some("9000"), Some("500")]), Some(five));
        assert_eq!(check([None, None, None]), Some(Weights::CONTROL_ONLY));
        assert_eq!(in_force(&json!({})), Some(Weights::CONTROL_ONLY));
        // An operator's override of one of them, and texts.
        assert_eq!(check([Some("7000"), Some("9000"), Some("500")]), None);
        assert_eq!(check([Some("500"), None, Some("500")]), None);
        assert_eq!(check([Some("x"), Some("9000"), Some("500")]), None);
    }
}
