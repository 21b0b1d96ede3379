//! What `metrics()` tells in every language (`docs/metrics.md`): what runs and why, and how the calls of a binding ended.

use tierup_codegen::{Row, Variant, abi::Value};
use tierup_parity::Outcome;

use crate::server::{NO_ROLLOUT, Scenario, Server, text};

pub(crate) const SCENARIOS: &[Scenario] = &[
    ("calls of a binding are counted by how they end", NO_ROLLOUT, counted),
    ("metrics say why another tier runs", NO_ROLLOUT, instead),
];

fn counted(mut server: Server<'_>) {
    server.spawn(&[]);
    for row in server.rows() {
        for words in ["a", "b", "c"] {
            server.at(&row, "echo_text", &[text(words)]);
            // Calls whose values are encoded may be counted in another place.
            server.at(&row, "echo_u8", &[Value::Integer(1)]);
        }
        assert!(matches!(server.at(&row, "fail", &[text("x")]), Outcome::Error(_)), "{row}");
        assert!(matches!(server.at(&row, "parse_number", &[text("x")]), Outcome::Error(_)), "{row}");
        for _ in 0..3 {
            assert!(matches!(server.at(&row, "panic_with", &[text("x")]), Outcome::Panic(_)), "{row}");
        }
        let empty = [Value::List(vec![]), Value::Integer(7)];
        assert!(matches!(server.at(&row, "item", &empty), Outcome::Panic(_)), "{row}");
        if row == Row::Variant(Variant::Native) {
            // Another binding of the same tier.
            server.at(&"3", "echo_u8", &[Value::Integer(1)]);
        }
        let found = server.close(&row);
        assert_eq!(found.counts(), "12 calls, 2 errors, 4 panics", "{row}");
        let said = ["package", "tier", "asked", "instead"].map(|name| found.get(name));
        assert_eq!(said, ["conformance", &*row.to_string(), &*row.to_string(), ""]);
        let abi = found.get("abi");
        assert!(abi.len() == 16 && abi.chars().all(|it| it.is_ascii_hexdigit()), "{abi}");
    }
    let found = server.close(&"3");
    assert_eq!([found.get("tier"), found.get("asked")], ["3:native", "3"]);
    // PHP counts calls with only text for all bindings of a tier.
    assert!(found.counts() == "1 calls" || server.is("php"), "{found:?}");
    // Whatever the server's own code throws is its error.
    let own = Row::Baseline(Some("different".to_owned()));
    server.at(&own, "echo_text", &[text("x")]);
    for _ in 0..2 {
        assert!(matches!(server.at(&own, "fail", &[text("x")]), Outcome::Error(_)));
    }
    assert_eq!(server.close(&own).counts(), "3 calls, 2 errors");
}

fn instead(mut server: Server<'_>) {
    let rows = server.rows();
    let mut others = Variant::ALL.into_iter().map(Row::Variant).filter(|row| !rows.contains(row));
    // Node has all variants but whole servers, which no fallback replaces.
    let Some(other) = others.find(|row| *row != Row::Variant(Variant::Server)) else { return };
    server.spawn(&[("TIERUP_FALLBACK", "1")]);
    assert_eq!(server.at(&other, "echo_text", &[text("x")]), Outcome::Ok(Some(text("x"))));
    let found = server.close(&other);
    assert_eq!([found.get("tier"), found.get("asked")], ["3:native", &*other.to_string()]);
    let reason = found.get("instead");
    assert!(reason.starts_with(&format!("conformance cannot run at tier {other}: ")), "{reason}");
    let said = server.said();
    assert!(said.contains(&format!("{reason}; falling back to tier 3:native")), "{said}");
}
