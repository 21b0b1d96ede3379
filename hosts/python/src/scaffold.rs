//! The host's part of `tierup new`: a server of Python's standard library, without dependencies but the package.

use tierup_codegen::source::fill;
use tierup_codegen::{Files, Scaffold};

use crate::names;

/// `requirements.txt`, `server.py` and `baseline.py` for a project called `name`.
pub(crate) fn scaffold(name: &str, function: &str) -> Scaffold {
    let files = Files::new()
        .with(
            "requirements.txt",
            format!("# The package that `tierup stub` writes, as a link to its folder.\n-e ../tierup/{name}[wasm]\n"),
        )
        .with("baseline.py", include_str!("../templates/scaffold/baseline.py"))
        .with("server.py", fill(include_str!("../templates/scaffold/server.py"), &[("module", &names::module(name))]));
    let start = ["python3", "server.py"].map(str::to_owned).into();
    Scaffold { files, start, baseline: format!("baseline:{function}") }
}
