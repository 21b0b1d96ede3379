//! Checks that `tierup` accepts the commands in the pages' code blocks: names and flags, not their output.

use std::{fs, path::Path};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::{links::pages, tierup};

/// The commands of a page, without shell syntax.
fn commands(page: &str) -> Vec<Vec<String>> {
    let (mut in_code, mut code) = (false, String::new());
    for event in Parser::new(page) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(text) if in_code => code += &text,
            _ => {}
        }
    }
    let code = code.replace("\\\n", " ").replace("&&", "\n");
    let lines = code.lines().map(|line| line.trim().trim_start_matches("$ "));
    let lines = lines.map(|line| line.replacen("cargo run --release -- ", "tierup ", 1));
    // Skips commands with alternatives or omissions, and lines that a program printed.
    let lines = lines.filter(|line| !line.contains(['[', '…']) && !line.replace("://", "").contains(": "));
    let command = |line: String| line.strip_prefix("tierup ")?.split([';', '#', '|', '>']).next().map(words);
    lines.filter_map(command).collect()
}

fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

#[test]
fn commands_in_pages_are_valid() {
    let mut count = 0;
    // A line of its drawing begins with the program's name.
    for page in pages().into_iter().filter(|page| !page.ends_with("ARCHITECTURE.md")) {
        for command in commands(&fs::read_to_string(&page).unwrap()) {
            let arguments: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
            let answer = tierup(Path::new("/"), &arguments).output().unwrap();
            let errors = String::from_utf8_lossy(&answer.stderr);
            assert!(answer.status.success(), "{}: tierup {}\n{errors}", page.display(), command.join(" "));
            count += 1;
        }
    }
    assert!(count > 50, "only {count} commands were found");
}

#[test]
fn shell_syntax_is_removed() {
    let page = "```sh\n$ tierup build --json > a && tierup stub\ntierup check --url \"http://a b\" \\\n  --quick # now\n```\ntierup no";
    let expected = [vec!["build", "--json"], vec!["stub"], vec!["check", "--url", "http://a b", "--quick"]];
    assert_eq!(commands(page), expected);
}
