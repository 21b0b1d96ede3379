//! Which arguments functions get: recorded ones, edge values, and random ones that a seed repeats.

use tierup_codegen::abi::Value;
use tierup_parity::Framing;
use tierup_runner::Quiet;

use super::{half, project, write};
use crate::{
    Check, Only,
    inputs::{Input, Origin, inputs},
    questions::{Origin as QuestionOrigin, Question},
};

/// The function, encoded arguments and origin of each input.
fn listed(inputs: &[Input]) -> Vec<(usize, &[u8], &Origin)> {
    inputs.iter().map(|input| (input.function, &input.encoded[..], &input.origin)).collect()
}

#[test]
fn a_seed_repeats_every_input_and_another_one_does_not() {
    let (_folder, loaded) = project("[\"echo\", \"pair\"]", "");
    let made = |seed| inputs(&loaded, &[], 60, seed).unwrap();
    let (first, second, other) = (made(7), made(7), made(8));
    assert_eq!(listed(&first), listed(&second));
    let random = |list: &[Input]| -> Vec<Vec<u8>> {
        list.iter().filter(|one| matches!(one.origin, Origin::Random(_))).map(|one| one.encoded.clone()).collect()
    };
    assert_eq!(random(&first).len(), 60, "30 for each function");
    assert_ne!(random(&first), random(&other));
}

#[test]
fn no_two_inputs_are_alike() {
    let (folder, loaded) = project("[\"echo\"]", "");
    // The first file equals an edge value, and the other two are equal.
    write(folder.path(), &[("corpus/echo/1.txt", ""), ("corpus/echo/2.txt", "two"), ("corpus/echo/3.txt", "two")]);
    let all = inputs(&loaded, &[], 100, 1).unwrap();
    let mut encoded: Vec<&[u8]> = all.iter().map(|input| &input.encoded[..]).collect();
    encoded.sort_unstable();
    encoded.dedup();
    assert_eq!(encoded.len(), all.len());
    assert_eq!(all.iter().filter(|one| matches!(one.origin, Origin::Corpus(_))).count(), 2);
}

#[test]
fn arguments_that_somebody_used_are_varied() {
    let (folder, loaded) = project("[\"echo\"]", "");
    let varied = || {
        let all = inputs(&loaded, &[], 100, 1).unwrap();
        all.iter().filter(|one| matches!(one.origin, Origin::Mutated(_))).count()
    };
    assert_eq!(varied(), 0, "there is nothing to vary");
    write(folder.path(), &[("corpus/echo/used.txt", "a text that somebody used"), ("corpus/echo/.hidden", "no input")]);
    assert!(varied() > 30, "{}", varied());
}

#[test]
fn large_numbers_that_were_made_up_come_last() {
    let (folder, loaded) = project("[\"pair\"]", "");
    write(folder.path(), &[("corpus/pair/large.json", "[1e300, \"\"]")]);
    let all = inputs(&loaded, &[], 60, 1).unwrap();
    assert_eq!(all[0].arguments[0], Value::F64(1e300), "somebody used it");
    let is_large = |input: &Input| matches!(input.arguments[0], Value::F64(number) if number.abs() >= 65536.0);
    let first = all.iter().skip(1).position(is_large).unwrap() + 1;
    assert!(all[first..].iter().all(is_large) && first < all.len() - 1, "{first} of {}", all.len());
}

#[test]
fn a_request_is_a_call_of_its_route() {
    let routes = "[[route]]\nrequest = \"POST /echo\"\ncall = \"echo\"\nbody = \"text\"\n";
    let (folder, loaded) = project("[\"echo\"]", routes);
    let requests = "POST /echo\nContent-Type: text/plain\n\nhello\n\n###\nGET /elsewhere\n";
    write(folder.path(), &[("requests.http", requests)]);
    let (questions, notes) = half(Only::Functions).questions(&loaded, &mut Quiet).unwrap();
    assert_eq!((questions.len(), notes.len()), (2, 0), "{notes:?}");
    let hostile = Question {
        origin: QuestionOrigin::Hostile,
        what: "body: more of it".to_owned(),
        framing: Framing::Chunked,
        request: tierup_requests::Request { body: b"hello hello".to_vec(), ..questions[0].request.clone() },
        ..questions[0].clone()
    };
    let all = inputs(&loaded, &[&questions[..], &[hostile]].concat(), 0, 1).unwrap();
    let used: Vec<_> = all.iter().filter(|one| one.origin != Origin::Edge).collect();
    let text = |text: &str| vec![Value::Text(text.to_owned())];
    assert_eq!((&used[0].arguments, &used[0].origin), (&text("hello"), &Origin::Request));
    assert_eq!(used[1].arguments, text("hello hello"));
    assert_eq!(used[1].origin.words(1), "from a hostile request, body: more of it");
    assert!(used.len() == 2 && used[1].origin.is_generated() && !used[0].origin.is_generated());
}

#[test]
fn a_project_without_requests_has_its_functions_checked_alone() {
    let (_folder, loaded) = project("[\"echo\"]", "");
    let check = |only| Check { only, ..half(Only::Functions) };
    let (questions, notes) = check(None).questions(&loaded, &mut Quiet).unwrap();
    assert!(questions.is_empty() && notes.len() == 1 && notes[0].starts_with("skipping the servers: "), "{notes:?}");
    check(Some(Only::Servers)).questions(&loaded, &mut Quiet).unwrap_err();
    let check = check(None);
    let planned = check.plan(&loaded, &mut Quiet).unwrap();
    assert!(planned.calls_functions() && !planned.asks_servers());
}
