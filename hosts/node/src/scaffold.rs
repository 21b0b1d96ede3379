//! The host's part of `tierup new`: a server in plain Node, without dependencies but the generated package.

use tierup_codegen::Files;

/// `package.json`, `server.js` and `baseline.js` for a project called `name`.
pub(crate) fn scaffold(name: &str) -> Files {
    let manifest = format!(
        r#"{{
  "name": "{name}-server",
  "private": true,
  "scripts": {{
    "start": "node server.js"
  }},
  "dependencies": {{
    "{name}": "file:../.tierup/node"
  }}
}}
"#
    );
    Files::new()
        .with("package.json", manifest)
        .with("baseline.js", include_str!("../templates/scaffold/baseline.js"))
        .with("server.js", include_str!("../templates/scaffold/server.js").replace("NAME", name))
}
