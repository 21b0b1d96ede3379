//! The servers of a rollout, and what the project declares of them.

use tierup_parity::{CallOrder, DownstreamCall, Finding, Observation, Place, Seen};
use tierup_runner::Quiet;

use super::{ROUTE, project};
use crate::sides::{Side, declared, start};

fn side(text: &str) -> Side {
    text.parse().unwrap()
}

#[test]
fn a_side_is_an_address_or_a_row() {
    for text in ["http://127.0.0.1:3000", "3:native", "0"] {
        let side = side(text);
        assert_eq!(matches!(side, Side::At(_)), text.contains("://"));
        assert_eq!(side.to_string().trim_start_matches("http://"), text.trim_start_matches("http://"));
    }
    for wrong in ["https://127.0.0.1:3000", "5:native", ""] {
        wrong.parse::<Side>().unwrap_err();
    }
}

#[test]
fn servers_at_addresses_are_neither_started_nor_measured() {
    let (control, candidate) = (side("http://127.0.0.1:3000"), side("http://127.0.0.1:3001"));
    let mut servers = start(&control, &candidate, Some(&control), None, None, &mut Quiet).unwrap();
    let sides = servers.sides();
    let ports = (sides.control.port, sides.candidate.port, sides.twin.map(|twin| twin.port));
    assert_eq!(ports, (3000, 3001, Some(3000)));
    assert!(sides.processes.is_empty() && sides.lanes.is_none());
    assert!(servers.all().all(|server| server.ended().is_none()));
}

#[test]
fn a_row_needs_a_project() {
    let failure = start(&side("0"), &side("http://127.0.0.1:1"), None, None, None, &mut Quiet).err().unwrap();
    let said = failure.to_string();
    assert!(said.contains("`0` is a row of a project, and there is none"), "{said}");
    assert!(said.contains("hint: give the project's folder, or the address of a server"), "{said}");
}

#[test]
fn routes_of_the_rollout_come_before_those_of_the_server() {
    let node = tierup_host_node::node();
    let rollout = "[rollout]\nsafe = [\"POST /search\"]\nsecond = \"50%\"\nisolated = true\n";
    let (_folder, loaded) = project(&[node], &format!("{ROUTE}{rollout}"));
    let declared = declared(Some(&loaded));
    assert_eq!(declared.named, ["POST /search", "GET /shout"]);
    assert_eq!((declared.safe, declared.is_isolated), (vec!["POST /search".to_owned()], true));
    let without = crate::sides::declared(None);
    assert!(without.named.is_empty() && without.safe.is_empty() && !without.is_isolated);
}

#[test]
fn a_call_that_differs_is_named_before_the_answer_that_may_follow_from_it() {
    let mut compare = declared(None).compare;
    let call = |body: &str| DownstreamCall {
        method: "POST".to_owned(),
        target: "/store".to_owned(),
        content_type: None,
        body: body.as_bytes().to_vec(),
    };
    let answered = |text: &str, calls: &[&str]| Observation {
        downstream: calls.iter().map(|body| call(body)).collect(),
        ..Observation::new(Seen::Answer(tierup_parity::Answer {
            url: "http://127.0.0.1:1/".to_owned(),
            status: 200,
            headers: Vec::new(),
            content_type: None,
            body: text.as_bytes().to_vec(),
            coding: Default::default(),
            meaning: None,
        }))
    };
    let Finding::Mismatch(found) = compare("/", &answered("one", &["1"]), &answered("other", &["2"])) else {
        panic!("they differ")
    };
    assert!(matches!(found.list[0].place, Place::Downstream { .. }) && found.list.len() == 2, "{found:?}");
}

#[test]
fn the_order_of_calls_counts_where_the_rollout_says_so() {
    let node = tierup_host_node::node();
    for (more, expected) in [("", CallOrder::Any), ("[rollout]\nordered = true\n", CallOrder::Ordered)] {
        let (_folder, loaded) = project(&[node], more);
        assert_eq!(crate::sides::rules(&loaded).policy.calls, expected);
    }
}
