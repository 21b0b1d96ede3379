//! The host's part of `tierup new`: a server in plain Node, without dependencies but the generated package.

use tierup_codegen::source::fill;
use tierup_codegen::{Files, Scaffold};

/// `package.json`, `server.js` and `baseline.js` for a project called `name`.
pub(crate) fn scaffold(name: &str) -> Scaffold {
    let manifest = format!(
        r#"{{
  "name": "{name}-server",
  "private": true,
  "scripts": {{
    "start": "node server.js"
  }},
  "dependencies": {{
    "{name}": "file:../tierup/{name}"
  }}
}}
"#
    );
    let files = Files::new()
        .with("package.json", manifest)
        .with("baseline.js", include_str!("../templates/scaffold/baseline.js"))
        .with("server.js", fill(include_str!("../templates/scaffold/server.js"), &[("name", name)]));
    let start = ["node", "server.js"].map(str::to_owned).into();
    Scaffold { files, start, baseline: "baseline.js".to_owned() }
}
