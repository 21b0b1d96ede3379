//! From a function of a server to its project: `init --function`, `build`, `ceiling`, `check` before and after it is written.

use std::{fs, path::Path, process::Command};

use crate::{passed, tierup};

const SERVER: &str = r"'use strict';
const http = require('node:http');
const { tally } = require('./tally');
http.createServer(async (request, response) => {
    const url = new URL(request.url, 'http://x');
    if (url.pathname !== '/tally') return response.writeHead(404).end();
    try {
        response.end(JSON.stringify(await tally(url.searchParams.get('text') ?? '')));
    } catch (error) {
        response.writeHead(500).end(error.message);
    }
}).listen(process.env.PORT);
";

const TALLY: &str = r"'use strict';

exports.tally = function tally(text) {
    const words = text.split(' ');
    let longest = '';
    for (const word of words) {
        if (word.length > longest.length) longest = word;
    }
    return { words: words.length, longest };
};
";

const IN_RUST: &str = r#"
    let units = |word: &str| word.encode_utf16().count();
    let mut longest = "";
    for word in text.split(' ') {
        if units(word) > units(longest) {
            longest = word;
        }
    }
    Ok(Answer { words: text.split(' ').count() as u32, longest: longest.to_owned() })
"#;

#[test]
fn a_project_for_a_function_fails_its_check_until_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("shop");
    fs::create_dir(&project).unwrap();
    let write = |name: &str, text: &str| fs::write(project.join(name), text).unwrap();
    write("package.json", "{ \"name\": \"shop\", \"private\": true }\n");
    write("server.js", SERVER);
    write("tally.js", TALLY);
    write("requests.http", "GET /tally?text=Green+tea+and+milk\n\n###\nGET /tally?text=x\n");

    let steps = passed("init", &tierup(&project, &["init", "--function", "tally.js:tally"]).output().unwrap());
    // What the steps say, as a user does it.
    assert!(steps.contains("npm install ./.tierup/node"), "{steps}");
    let line = "const { tally } = require('hot').with({ baseline: require('./tally') });";
    assert!(steps.contains(line), "{steps}");
    passed("build", &tierup(&project, &["build", "--tiers", "3"]).output().unwrap());
    passed("npm", &Command::new("npm").args(["install", "./.tierup/node"]).current_dir(&project).output().unwrap());
    write("server.js", &SERVER.replace("const { tally } = require('./tally');", line));

    let arguments = ["ceiling", "--duration", "4s", "--blocks", "2"];
    let ceiling = passed("ceiling", &tierup(&project, &arguments).output().unwrap());
    assert!(ceiling.contains("0:free"), "{ceiling}");

    let (code, report) = check(&project);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("error: not written yet"), "{report}");

    let library = project.join("hot/src/lib.rs");
    let text = fs::read_to_string(&library).unwrap();
    let (start, end) = text.split_once("    let _ = text;\n    Err(\"not written yet\".to_owned())\n").unwrap();
    fs::write(library, format!("{start}{IN_RUST}{end}")).unwrap();
    let (code, report) = check(&project);
    assert_eq!(code, Some(0), "{report}");
}

fn check(project: &Path) -> (Option<i32>, String) {
    let output = tierup(project, &["check", "--tiers", "3"]).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code(), text)
}
