//! Calls of a server's rows to other services: missing, additional, late or different ones. They can be kept.

use std::{fs, path::Path};

use crate::{MANIFEST, run, write};

/// Rows of one server that differ in their calls to other services; `0` is right.
const CALLER: &str = r#"
const http = require('node:http');
const wrong = (process.env.TIERUP_TIER ?? '0').slice(2);
const call = async (total) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(process.env.STORE_URL + '/store', { method: 'POST', headers, body: JSON.stringify({ total }) });
  if (!answer.ok) throw new Error('the store failed');
};
http.createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const total = Number(body);
  try {
    if (request.method !== 'POST' || request.url !== '/' || body === '' || !Number.isSafeInteger(total)) {
      response.statusCode = 400;
      return response.end('a whole number, please');
    }
    if (wrong !== 'skips') await call(wrong === 'adds' ? total + 1 : total);
    response.setHeader('content-type', 'application/json');
    response.end('{"ok":true}');
  } catch (error) {
    response.statusCode = wrong === 'hides' ? 200 : 502;
    response.end(error.message);
  }
}).listen(process.env.PORT, '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
"#;

pub(super) fn caller(labels: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let library = "pub fn shout(text: &str) -> String { text.into() }\n";
    let mut settings =
        "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n\
         [downstream]\nenv = \"STORE_URL\"\n[host.node.baseline]\n\"0\" = \"shout.js\"\n"
            .to_owned();
    for label in labels {
        settings.push_str(&format!("\"0:{label}\" = \"shout.js\"\n"));
    }
    let requests: String =
        (1..6).map(|number| format!("POST /\nContent-Type: text/plain\n\n{number}\n\n###\n")).collect();
    let package = "{ \"name\": \"test-server\", \"private\": true }\n";
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/package.json", package)]);
    write(folder.path(), &[("tierup.toml", &settings), ("requests.http", &requests), ("node/server.js", CALLER)]);
    write(folder.path(), &[("node/shout.js", "module.exports = (text) => text;\n")]);
    folder
}

pub(super) fn found(folder: &Path, row: &str) -> String {
    run(folder, &["check", "--only", "servers", "--tiers", row, "--show", "20", "--hostile", "40", "-q"])
}

#[test]
fn calls_to_other_services_are_compared() {
    let folder = caller(&["right", "skips"]);
    let said = found(folder.path(), "0:right");
    assert!(said.starts_with("exit code: 0\n"), "{said}");
    let said = found(folder.path(), "0:skips");
    let missing = r#"downstream call 1: nothing instead of POST /store {"total":1} (a call is missing)"#;
    assert!(said.starts_with("exit code: 1\n") && said.contains(missing), "{said}");
}

#[test]
fn a_kept_request_is_repeated() {
    let folder = caller(&["adds"]);
    let keep = ["check", "--only", "servers", "--tiers", "0:adds", "--hostile", "0", "--keep", "--show", "1"];
    let said = run(folder.path(), &keep);
    assert!(said.contains("kept: corpus/requests/"), "{said}");
    let kept = fs::read_dir(folder.path().join("corpus/requests")).unwrap().count();
    assert_eq!(kept, 1);
    write(folder.path(), &[("requests.http", "GET /\n")]);
    let said = run(folder.path(), &["check", "--only", "servers", "--tiers", "0:adds", "--hostile", "0", "-q"]);
    assert!(said.contains("1 kept") && said.contains("kept in corpus/requests"), "{said}");
}
