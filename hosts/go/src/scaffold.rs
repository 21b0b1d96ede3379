//! The host's part of `tierup new`: a server of Go's standard library, with the package as its only dependency.

use tierup_codegen::{Files, Scaffold, source::fill};

use crate::names;
use crate::package::SUMS;

/// The module's path: only the server itself imports it.
const MODULE: &str = "server";

/// `go.mod`, `server.go` and `baseline/baseline.go` for a project called `name`.
pub(crate) fn scaffold(name: &str, function: &str) -> Scaffold {
    let module = names::module(name);
    let values = [("module", &*module)];
    let manifest = fill(include_str!("../templates/scaffold/go.mod.txt"), &[("module", &module), ("name", name)]);
    let files = Files::new()
        .with("go.mod", manifest)
        .with("go.sum", SUMS)
        .with(".gitignore", "/server\n")
        .with("baseline/baseline.go", include_str!("../templates/scaffold/baseline.go"))
        .with("server.go", fill(include_str!("../templates/scaffold/server.go"), &values));
    let baseline = format!("{MODULE}/baseline.{}", names::function(function));
    Scaffold { files, start: vec!["./server".to_owned()], baseline }
}
