//! What `.tierup/` holds: a workspace of crates, and a folder for each host.

use tierup_codegen::{Step, Variant};

use super::{ROUTE, project, reopened, write};
use crate::assemble::{CommonShim, assemble};

#[test]
fn every_crate_is_a_member_and_each_host_has_its_folder() {
    let hosts = [tierup_host_node::node(), tierup_host_python::python()];
    let (_folder, loaded) = project(&hosts, "");
    let plan = assemble(&loaded).unwrap();
    for member in ["calls", "cli", "core", "driver", "node/native", "python/native"] {
        let manifest = format!("{member}/Cargo.toml");
        let is_member = plan.members.iter().any(|one| *one == member);
        assert_eq!(is_member, plan.files.get(&manifest).is_some(), "{member}");
    }
    assert!(plan.members.len() > 4 && plan.members.is_sorted(), "{:?}", plan.members);
    for file in [".gitignore", "schema.json", "node/package.json", "node/index.js", "python/pyproject.toml"] {
        assert!(plan.files.get(file).is_some(), "{file}");
    }
}

#[test]
fn a_server_in_rust_is_generated_for_routes_alone() {
    let hosts = [tierup_host_node::node()];
    let has_server = |more: &str| {
        let (_folder, loaded) = project(&hosts, more);
        let plan = assemble(&loaded).unwrap();
        (plan.members.iter().any(|member| member == "server"), !plan.shared(CommonShim::Server).is_empty())
    };
    assert_eq!((has_server(""), has_server(ROUTE)), ((false, false), (true, true)));
}

#[test]
fn the_workspace_has_patches_and_profile_of_the_users() {
    let hosts = [tierup_host_node::node()];
    let (folder, _) = project(&hosts, "");
    let more =
        "[profile.release]\nlto = true\npanic = \"abort\"\n[patch.crates-io]\nsome = { path = \"vendor/some\" }\n";
    write(folder.path(), &[("Cargo.toml", &format!("{}{more}", super::MANIFEST))]);
    write(folder.path(), &[("vendor/some/Cargo.toml", &super::MANIFEST.replace("words", "some"))]);
    write(folder.path(), &[("vendor/some/src/lib.rs", "")]);
    let plan = assemble(&reopened(folder.path(), &hosts)).unwrap();
    let text = String::from_utf8(plan.manifest(&["calls".to_owned()]).unwrap()).unwrap();
    assert!(text.contains("\"calls\"") && !text.contains("\"cli\"") && text.contains("lto = true"), "{text}");
    assert!(text.contains("[patch.crates-io]") && text.contains("vendor/some") && !text.contains("abort"), "{text}");
    assert_eq!(plan.profile_left_out().unwrap(), ["panic"]);
}

#[test]
fn variants_that_share_a_crate_share_its_steps() {
    let (_folder, loaded) = project(&[tierup_host_node::node()], "");
    let plan = assemble(&loaded).unwrap();
    let shared = CommonShim::needed_by(Variant::Pool).unwrap();
    assert_eq!(CommonShim::needed_by(Variant::Spawn), Some(shared));
    assert_eq!(CommonShim::needed_by(Variant::Native), None);
    let steps = plan.shared(shared);
    let commands: Vec<String> = steps.iter().flat_map(Step::commands).map(ToString::to_string).collect();
    assert!(commands[0].starts_with("cargo build "), "{commands:?}");
}
