//! Which rows a command is about, and why a host can never have one.

use tierup_codegen::{HostSettings, Row, Variant};
use tierup_diagnostic::Exit;
use tierup_runner::Quiet;

use super::{ROUTE, at, project};
use crate::{Choice, ProjectRows, checked::has_code, impossible, rows::never};

fn words(rows: &[Row]) -> String {
    rows.iter().map(Row::to_string).collect::<Vec<_>>().join(" ")
}

fn row(text: &str) -> Row {
    text.parse().unwrap()
}

#[test]
fn a_choice_names_rows_from_the_baseline_up() {
    let node = tierup_host_node::node();
    let (_folder, loaded) = project(&[node], &format!("[function.alternatives]\nfast = \"fast\"\n{ROUTE}"));
    let rows = |choice: Choice, first| words(&choice.rows(at(&loaded, node), first));
    assert_eq!(rows(Choice::Default, true), "0 0:tuned 0:free 1 2 3 4 3:native#fast");
    let all = rows(Choice::All, true);
    assert!(all.starts_with("0 0:tuned 0:free 0:memo 0:workers 1:pool 1:spawn 2:core "), "{all}");
    // A server in Rust belongs to no host: the group of the first has it.
    assert_eq!(rows(Choice::Default, false), "0 0:tuned 0:free 1 2 3 3:native#fast");
    let these = Choice::These(vec![row("3:native"), row("4")]);
    assert_eq!((rows(these.clone(), true), rows(these, false)), ("3:native 4".to_owned(), "3:native".to_owned()));
}

#[test]
fn what_cannot_be_had_has_a_reason_before_anything_is_built() {
    let (node, beam) = (tierup_host_node::node(), tierup_host_beam::beam());
    let (_folder, loaded) = project(&[node, beam], "");
    let why = |host, text: &str| never(&loaded, host, &row(text)).unwrap_or_default();
    for text in ["0", "0:tuned", "0:free", "1:pool", "2", "3:native"] {
        assert_eq!(why(node, text), "", "{text}");
    }
    assert_eq!(why(node, "0:other"), "`[host.node.baseline]` has no such label");
    assert_eq!(why(node, "4:server"), "tierup.toml has neither a [[route]] nor a [server]");
    assert_eq!(why(node, "3:native#fast"), "tierup.toml has no `[function.alternatives]`");
    assert_eq!(Some(why(beam, "2:bindgen")), impossible(&loaded, beam, Variant::Bindgen));
    assert!(!why(beam, "2:bindgen").is_empty() && why(beam, "3:native").is_empty());
}

#[test]
fn a_row_that_a_host_cannot_have_fails_with_the_reason() {
    let node = tierup_host_node::node();
    let (_folder, loaded) = project(&[node], "");
    let failed = |text: &str| match at(&loaded, node).build_row(row(text), &mut Quiet) {
        Ok(built) => panic!("{}", built.row),
        Err(failure) => failure,
    };
    let (label, tier) = (failed("0:other"), failed("4"));
    assert!(label.to_string().contains("`0:other` is not a baseline of Node.js"), "{label}");
    assert!(label.to_string().contains("`[host.node.baseline]` in tierup.toml lists them"), "{label}");
    assert!(tier.to_string().contains("tier 4 is not available in this project"), "{tier}");
    assert!(tier.to_string().contains("4:server: tierup.toml has neither"), "{tier}");
    assert_eq!((label.exit(), tier.exit()), (Exit::Usage, Exit::Usage));
}

#[test]
fn a_reference_that_is_no_row_is_said_before_anything_is_built() {
    let node = tierup_host_node::node();
    let (_folder, loaded) = project(&[node], "");
    let choice = Choice::These(vec![row("0"), row("0:tuned")]);
    let rows = ProjectRows { loaded, hosts: vec![node], choice, reference: row("3:native") };
    let failure = rows.build(at(&rows.loaded, node), true, &mut Quiet).err().unwrap();
    let said = failure.to_string();
    assert!(said.contains("the reference 3:native is not among the rows of Node.js"), "{said}");
    assert!(said.contains("the rows are: 0, 0:tuned; --reference ROW names another one of them"), "{said}");
    assert!(!rows.loaded.work.exists());
}

#[test]
fn drivers_call_the_rows_that_are_code() {
    let node = tierup_host_node::node();
    let (_folder, loaded) = project(&[node], ROUTE);
    let mut settings = loaded.host("node").unwrap().clone();
    let rows = ["0", "0:tuned", "0:other", "0:free", "0:memo", "3:native", "3:native#fast", "4:server"].map(row);
    let called = |settings: &HostSettings| {
        words(&rows.iter().filter(|row| has_code(row, settings)).cloned().collect::<Vec<_>>())
    };
    assert_eq!(called(&settings), "0 0:tuned 0:memo 3:native 3:native#fast");
    settings.baselines.clear();
    assert_eq!(called(&settings), "3:native 3:native#fast");
}
