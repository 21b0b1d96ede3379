//! Inputs as files: each is read back as it was written, and an input that no file can represent is not written.

use std::path::{Path, PathBuf};

use tierup_codegen::abi::Value;
use tierup_diagnostic::Exit;
use tierup_parity::Framing;
use tierup_runner::Quiet;
use tierup_subject::Behaviour;

use super::{half, project, write};
use crate::{
    Check, Only,
    case::{read_arguments, read_requests, write_arguments, write_request},
    keep,
    questions::{Origin, Question},
};

/// The requests in a text, as in a `.http` file.
fn questions(folder: &Path, text: &str) -> Vec<Question> {
    write(folder, &[("written.http", text)]);
    read_requests(&folder.join("written.http"), &mut Quiet).unwrap()
}

#[test]
fn arguments_are_read_back_as_they_were_written() {
    let (folder, loaded) = project("[\"echo\", \"pair\"]", "");
    let interface = &loaded.project.interface;
    let pair = |number: f64| vec![Value::F64(number), Value::Bytes(vec![0, 255])];
    let cases = [
        (0, vec![Value::Text("two\nlines".to_owned())], "txt"),
        (1, pair(0.5), "json"),
        // JSON has no infinity, so the arguments are written in the byte encoding.
        (1, pair(f64::INFINITY), "args"),
    ];
    for (number, arguments, ending) in cases {
        let function = &interface.functions[number];
        let file = write_arguments(folder.path(), "case", function, interface, &arguments).unwrap();
        assert_eq!(file, folder.path().join(&function.name).join(format!("case.{ending}")));
        assert_eq!(read_arguments(&file, function, interface).unwrap(), arguments);
    }
}

#[test]
fn a_file_that_holds_no_arguments_names_itself_and_the_function() {
    let (folder, loaded) = project("[\"echo\", \"pair\"]", "");
    let interface = &loaded.project.interface;
    for (name, content, why) in [
        ("1.json", "[1", "it is not valid JSON"),
        ("2.json", "[1]", "it is not a list of 2 arguments"),
        ("3.json", "[\"one\", \"\"]", "number"),
        ("4.args", "\0\0\0\0\0\0\0\0\0\0\0\0more", "4 bytes are left over"),
    ] {
        write(folder.path(), &[(name, content)]);
        let failure = read_arguments(&folder.path().join(name), &interface.functions[1], interface).unwrap_err();
        let said = failure.to_string();
        assert!(said.contains(name) && said.contains("arguments of `pair`") && said.contains(why), "{said}");
        assert_eq!(failure.exit(), Exit::Usage);
    }
}

#[test]
fn a_case_belongs_to_the_function_of_its_folder() {
    let (folder, loaded) = project("[\"echo\", \"pair\"]", "");
    write(folder.path(), &[("pair/1.json", "[1.5, \"\"]"), ("elsewhere/1.txt", "text")]);
    let check = |name: &str| Check { case: Some(folder.path().join(name)), ..half(Only::Functions) };
    let inputs = check("pair/1.json").inputs(&loaded, &[]).unwrap();
    assert_eq!((inputs.len(), inputs[0].function, &inputs[0].arguments[0]), (1, 1, &Value::F64(1.5)));
    let failure = check("elsewhere/1.txt").inputs(&loaded, &[]).unwrap_err();
    assert!(failure.to_string().contains("does not show which function it belongs to"), "{failure}");
    // If a project has a single function, the case belongs to it.
    let (_other, loaded) = project("[\"echo\"]", "");
    assert_eq!(check("elsewhere/1.txt").inputs(&loaded, &[]).unwrap()[0].arguments, [Value::Text("text".to_owned())]);
    assert!(check("requests/1.http").inputs(&loaded, &[]).unwrap().is_empty());
}

#[test]
fn a_request_is_read_back_with_how_it_was_sent() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plain = questions(folder, "POST /a?b=1\nContent-Type: text/plain\n\nhello\n").remove(0);
    let body = |body: &[u8]| {
        let request = tierup_requests::Request { body: body.to_vec(), ..plain.request.clone() };
        Question { request, ..plain.clone() }
    };
    let cases = [
        plain.clone(),
        Question { framing: Framing::Chunked, ..plain.clone() },
        Question { behaviour: Behaviour::Closes, ..plain.clone() },
        body(b""),
        // As text, these bodies would mean something else in a `.http` file.
        body(b"two\nlines\n"),
        body(b"{{variable}}"),
        body(b"< ./file"),
        body(&[0, 255]),
    ];
    for (number, question) in cases.iter().enumerate() {
        let file = write_request(folder, &number.to_string(), question).unwrap().unwrap();
        assert_eq!(file, folder.join(format!("requests/{number}.http")));
        let [read] = &read_requests(&file, &mut Quiet).unwrap()[..] else { panic!("{number}") };
        assert_eq!((read.framing, read.behaviour, read.origin), (question.framing, question.behaviour, Origin::Kept));
        assert_eq!((&read.request.target, &read.request.body), (&question.request.target, &question.request.body));
    }
}

#[test]
fn a_request_that_no_file_can_say_leaves_none() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let literal = questions(folder, "GET /a\nAuthorization: Bearer literal\n").remove(0);
    let mut two_lines = questions(folder, "GET /a\n").remove(0);
    two_lines.request.headers.push(("X-Two".to_owned(), "{{one}}".to_owned()));
    for question in [literal, two_lines] {
        assert_eq!(write_request(folder, "1", &question).unwrap(), None);
        assert!(!folder.join("requests/1.http").exists());
    }
}

#[test]
fn an_unknown_behaviour_of_the_downstream_is_named() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("1.http", "# @downstream sleeps\nGET /\n")]);
    let failure = read_requests(&folder.path().join("1.http"), &mut Quiet).unwrap_err();
    let said = failure.to_string();
    assert!(said.contains("says `# @downstream sleeps`") && said.contains("write `# @downstream fails`"), "{said}");
}

#[test]
fn a_kept_request_takes_its_body_along_under_one_name() {
    let folder = tempfile::tempdir().unwrap();
    let (cases, corpus) = (folder.path().join("check"), folder.path().join("corpus"));
    let large = format!("POST /a\nContent-Type: text/plain\n\n{}\n", "long ".repeat(1000));
    let question = questions(folder.path(), &large).remove(0);
    write_request(&cases, "1", &question).unwrap().unwrap();
    let kept = keep(&cases, &corpus).unwrap();
    let [file] = &kept[..] else { panic!("{kept:?}") };
    assert_eq!(read_requests(file, &mut Quiet).unwrap()[0].request.body, question.request.body);
    assert!(file.with_extension("body").exists());
    // Another run finds the same request under another number.
    write_request(&cases, "2", &question).unwrap().unwrap();
    assert_eq!(keep(&cases, &corpus).unwrap(), Vec::<PathBuf>::new());
}
