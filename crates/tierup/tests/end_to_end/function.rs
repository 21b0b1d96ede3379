//! From a function to its project: `init --function`, `build`, `ceiling`, and `check` before and after the rewrite.

mod go;

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

    let steps =
        passed("init", &tierup(&project, &["init", "--function", "tally.js:tally", "--name", "hot"]).output().unwrap());
    // Runs the printed steps as a user does.
    assert!(steps.contains("npm install ./tierup/hot"), "{steps}");
    let line = "const { tally } = require('hot').with({ baseline: require('./tally') });";
    assert!(steps.contains(line), "{steps}");
    passed("build", &tierup(&project, &["build", "--tiers", "3"]).output().unwrap());
    passed("npm", &Command::new("npm").args(["install", "./tierup/hot"]).current_dir(&project).output().unwrap());
    write("server.js", &SERVER.replace("const { tally } = require('./tally');", line));

    let arguments = ["ceiling", "--duration", "4s", "--blocks", "2"];
    let ceiling = passed("ceiling", &tierup(&project, &arguments).output().unwrap());
    assert!(ceiling.contains("0:free"), "{ceiling}");

    let (code, report) = check(&project);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("error: not written yet"), "{report}");

    fill(&project, IN_RUST);
    let (code, report) = check(&project);
    assert_eq!(code, Some(0), "{report}");
}

/// Writes the body of a function with the parameter `text`.
fn fill(project: &Path, body: &str) {
    let library = project.join("hot/src/lib.rs");
    let text = fs::read_to_string(&library).unwrap();
    let (start, end) = text.split_once("    let _ = text;\n    Err(\"not written yet\".to_owned())\n").unwrap();
    fs::write(library, format!("{start}{body}{end}")).unwrap();
}

const SERVER_IN_JAVA: &str = r#"package server;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

public final class Server {
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", exchange -> {
            String query = exchange.getRequestURI().getRawQuery();
            boolean isKnown = exchange.getRequestMethod().equals("GET") && exchange.getRequestURI().getPath().equals("/words");
            byte[] body = {};
            int status = 404;
            try {
                if (isKnown && query != null && query.startsWith("text=")) {
                    String text = URLDecoder.decode(query.substring(5), StandardCharsets.UTF_8);
                    body = Long.toString(Words.count(text)).getBytes(StandardCharsets.UTF_8);
                    status = 200;
                }
            } catch (RuntimeException e) {
                status = 500;
            }
            try (exchange) {
                exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
    }
}
"#;

const WORDS_IN_JAVA: &str = "package server;\n\nfinal class Words {\n    static long count(final String text) {\n        \
    return text.split(\" \", -1).length;\n    }\n}\n";

/// The source declares the types, so `init` starts nothing.
#[test]
fn a_project_for_a_method_of_java_fails_its_check_until_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    // A separate project, without the package.
    passed("new", &tierup(folder.path(), &["new", "shop", "--host", "java"]).output().unwrap());
    let manifest = fs::read_to_string(folder.path().join("shop/java/pom.xml")).unwrap();
    let (before, rest) = manifest.split_once("    <dependencies>").unwrap();
    let (_, after) = rest.split_once("</dependencies>\n").unwrap();
    let project = folder.path().join("server");
    let source = project.join("src/main/java/server");
    fs::create_dir_all(&source).unwrap();
    fs::write(project.join("pom.xml"), format!("{before}{after}")).unwrap();
    fs::write(project.join("requests.http"), "GET /words?text=Green+tea\n\n###\nGET /words?text=x\n").unwrap();
    fs::write(source.join("Server.java"), SERVER_IN_JAVA).unwrap();
    fs::write(source.join("Words.java"), WORDS_IN_JAVA).unwrap();

    let function = "src/main/java/server/Words.java:count";
    let steps = passed("init", &tierup(&project, &["init", "--function", function, "--name", "hot"]).output().unwrap());
    let settings = fs::read_to_string(project.join("tierup.toml")).unwrap();
    assert!(settings.contains("\"0\" = \"server.Words::count\""), "{settings}");
    // Runs the printed steps as a user does.
    let (_, rest) = steps.split_once("in pom.xml:\n").unwrap();
    let (dependency, _) = rest.split_once("</dependency>").unwrap();
    let dependencies = format!("    <dependencies>{dependency}</dependency></dependencies>\n");
    fs::write(project.join("pom.xml"), format!("{before}{dependencies}{after}")).unwrap();
    let rust = "local.tierup.hot.Hot";
    assert!(
        steps.contains(&format!("import {rust};")) && steps.contains("Hot rust = Hot.load(YourClass::count);"),
        "{steps}"
    );
    let field = format!("Server {{\n    private static final {rust} RUST = {rust}.load(Words::count);");
    let adopted = SERVER_IN_JAVA.replace("Server {", &field).replace("Words.count(", "RUST.count(");
    fs::write(source.join("Server.java"), adopted).unwrap();
    passed("build", &tierup(&project, &["build", "--tiers", "3"]).output().unwrap());

    let (code, report) = check(&project);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("error: not written yet"), "{report}");
    fill(&project, "    Ok(text.split(' ').count() as i64)\n");
    let (code, report) = check(&project);
    assert_eq!(code, Some(0), "{report}");
}

fn check(project: &Path) -> (Option<i32>, String) {
    let output = tierup(project, &["check", "--tiers", "3"]).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code(), text)
}
