//! Calls through a driver: differences are found, made smaller, named, and told from noise, lost calls and large
//! answers.

use std::{fs, path::PathBuf};

use tierup_codegen::{Command, Row, Variant};
use tierup_parity::{Call, Finding, Noise, Observation, Outcome, Seen, Verdict};
use tierup_project::Loaded;
use tierup_runner::Quiet;

use super::{half, project, write};
use crate::{Check, Detail, HostRows, Mismatch, Only, Part, Report, keep, least::as_rust};

/// The driver's path. Run without a row, the driver answers as the function in Rust does.
fn driver() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "src", "tests", "driver.pl"].iter().collect()
}

/// Compares these rows. `3:native=wrong` makes the row `3:native` do `wrong`: see `driver.pl`.
pub(super) fn compare(check: &Check, loaded: &Loaded, rows: &[&str], left_out: &[(&str, &str)]) -> Report {
    let called = rows.iter().map(|row| row.split('=').next().unwrap().parse::<Row>().unwrap()).collect();
    let owned = |(row, why): &(&str, &str)| ((*row).to_owned(), (*why).to_owned());
    let host = HostRows {
        host: "perl",
        driver: Command::new(driver().to_str().unwrap(), rows.iter().copied().filter(|row| row.contains('='))),
        called,
        served: Vec::new(),
        left_out: left_out.iter().map(owned).collect(),
    };
    let planned = check.plan(loaded, &mut Quiet).unwrap();
    planned.compare(vec![host], Some(driver()), "tierup check words", &Quiet).unwrap()
}

/// The functions' part of a run with `echo` alone.
fn part(rows: &[&str]) -> Part {
    let (_folder, loaded) = project("[\"echo\"]", "");
    compare(&half(Only::Functions), &loaded, rows, &[]).parts.remove(0)
}

fn words(detail: &Detail) -> String {
    match detail {
        Detail::Differences(found) => found.list.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        Detail::Error(why) => why.clone(),
    }
}

#[test]
fn rows_that_answer_alike_are_clean() {
    let (_folder, loaded) = project("[\"echo\"]", "");
    let report = compare(&half(Only::Functions), &loaded, &["0", "1:pool", "3:native"], &[]);
    assert!(report.is_clean(), "{report:?}");
    let part = &report.parts[0];
    assert_eq!((part.control.as_str(), part.mismatches.len()), ("perl 0", 0));
    let asked: usize = part.inputs.iter().map(|(_, count)| count).sum();
    assert!(part.inputs.iter().any(|(kind, count)| kind == "random" && *count == 40), "{:?}", part.inputs);
    for row in &part.rows {
        assert_eq!((row.tally.same, row.verdict), (asked, Verdict::Alike), "{row:?}");
    }
}

#[test]
fn a_difference_is_made_as_small_as_it_gets_and_asked_again() {
    let (folder, loaded) = project("[\"echo\"]", "");
    write(folder.path(), &[("corpus/echo/long.txt", "long, with an x in it")]);
    let check = Check { cases: 0, ..half(Only::Functions) };
    let part = compare(&check, &loaded, &["0", "1:pool", "3:native=wrong"], &[]).parts.remove(0);
    assert_eq!(part.rows.iter().map(|row| row.verdict).collect::<Vec<_>>(), [Verdict::Alike, Verdict::Differs]);
    // Every text with an `x` becomes the same one.
    let [only] = &part.mismatches[..] else { panic!("{:?}", part.mismatches) };
    let Mismatch { rows, input, size, origin, again, diff, .. } = only;
    assert_eq!((&rows[..], input.as_str(), *size), (&["perl 3:native".to_owned()][..], "echo(\"x\")", 5));
    assert!(origin.ends_with(", made smaller") && diff.contains("-x") && diff.contains("+wrong"), "{origin} {diff}");
    let said = words(&only.detail);
    assert!(said.starts_with("line 1: \"wrong\" instead of \"x\""), "{said}");

    let (options, case) = again.split_once(" --case ").unwrap();
    assert_eq!(options, "tierup check words --hosts perl --tiers 3:native");
    assert_eq!(fs::read_to_string(case).unwrap(), "x");
    let check = Check { case: Some(case.into()), ..check };
    let part = compare(&check, &loaded, &["0", "3:native=wrong"], &[]).parts.remove(0);
    assert_eq!(part.inputs, [("from the corpus".to_owned(), 1)]);
    assert_eq!(
        (part.mismatches[0].input.as_str(), &part.mismatches[0].origin),
        ("echo(\"x\")", &format!("from {case}"))
    );
    assert!(compare(&check, &loaded, &["0", "3:native"], &[]).is_clean());
}

#[test]
fn a_kept_difference_is_asked_at_every_run() {
    let (folder, loaded) = project("[\"echo\"]", "");
    write(folder.path(), &[("corpus/echo/long.txt", "long, with an x in it")]);
    let check = Check { cases: 0, ..half(Only::Functions) };
    compare(&check, &loaded, &["3:native=wrong"], &[]);
    let corpus = folder.path().join("corpus");
    let kept = keep(&loaded.work.join("check"), &corpus).unwrap();
    let [file] = &kept[..] else { panic!("{kept:?}") };
    assert_eq!((file.parent(), &*fs::read(file).unwrap()), (Some(&*corpus.join("echo")), &b"x"[..]));
    assert_eq!(keep(&loaded.work.join("check"), &corpus).unwrap(), Vec::<PathBuf>::new(), "it is there already");

    let part = compare(&check, &loaded, &["3:native"], &[]).parts.remove(0);
    assert_eq!(part.inputs[0], ("from the corpus".to_owned(), 2));
}

#[test]
fn rows_that_err_alike_share_a_mismatch_with_the_baseline() {
    let part = part(&["0=wrong", "1:pool", "3:native"]);
    assert!(!part.mismatches.is_empty());
    for mismatch in &part.mismatches {
        assert_eq!(mismatch.rows, ["perl 1:pool", "perl 3:native"]);
        // Both rows answer as Rust does, so the report does not mention Rust's answer.
        assert!(!words(&mismatch.detail).contains("called from Rust"), "{mismatch:?}");
    }
}

#[test]
fn a_baseline_that_differs_from_itself_is_noise() {
    let part = part(&["0=unsteady", "3:native"]);
    assert_eq!(part.noise.inputs, part.mismatches.iter().map(|one| 1 + one.alike).sum::<usize>());
    assert!(part.noise.inputs > 0 && part.noise.found != Noise::default(), "{:?}", part.noise);
    let example = part.noise.example.unwrap();
    assert!(example.starts_with("echo(\"") && example.contains('x'), "{example}");
    // Inputs with noise are not made smaller, as a smaller one may differ by chance.
    assert!(part.mismatches.iter().all(|one| one.is_noise && !one.origin.contains("made smaller")));
}

#[test]
fn without_a_baseline_rust_is_the_control() {
    let part = part(&["3:native"]);
    assert_eq!((part.control.as_str(), part.noise.inputs), ("the function in Rust", 0));
    assert_eq!(part.rows[0].verdict, Verdict::Alike);
}

#[test]
fn a_lost_driver_is_started_again_and_given_up_after_five() {
    let part = part(&["3:native=dies"]);
    let tally = &part.rows[0].tally;
    assert!(tally.error > 0 && tally.same > 40, "{tally:?}");
    let said = words(&part.mismatches[0].detail);
    assert!(said.starts_with("no answer: ") && said.contains("failed"), "{said}");
    assert_eq!(part.rows[0].verdict, Verdict::Failed);

    let (folder, loaded) = project("[\"echo\"]", "");
    let texts: Vec<_> = (0..8).map(|number| (format!("corpus/echo/{number}.txt"), format!("x{number}"))).collect();
    texts.iter().for_each(|(name, text)| write(folder.path(), &[(name, text)]));
    // Inputs from files come first, so five lost calls come one after another.
    let report = compare(&half(Only::Functions), &loaded, &["3:native=dies"], &[]);
    let tally = &report.parts[0].rows[0].tally;
    assert_eq!((tally.error, tally.same), (5, 0), "{tally:?}");
    let skipped: Vec<&str> = tally.skipped.keys().map(String::as_str).collect();
    assert_eq!(skipped, ["skipped after 5 calls that did not return"]);
}

#[test]
fn large_answers_of_generated_calls_are_left_out_and_of_files_kept() {
    let (folder, loaded) = project("[\"echo\"]", "");
    write(folder.path(), &[("corpus/echo/1.txt", "1 x"), ("corpus/echo/2.txt", "2 x"), ("corpus/echo/3.txt", "3 x")]);
    let check = Check { show: 0, ..half(Only::Functions) };
    let part = compare(&check, &loaded, &["3:native=large"], &[]).parts.remove(0);
    let tally = &part.rows[0].tally;
    let why = "answers to the function's generated calls may have 32 MiB together";
    assert!(tally.skipped.get(why).is_some_and(|count| *count > 0) && tally.skipped.len() == 1, "{tally:?}");
    // The answers to the three files count, and one generated answer for which there is room.
    assert_eq!((tally.mismatch, part.mismatches.len(), part.not_shown), (4, 0, 4));
}

#[test]
fn an_answer_of_another_type_is_a_lost_call() {
    let part = part(&["3:native=short"]);
    let said = words(&part.mismatches[0].detail);
    assert!(said.contains("its answer does not have the function's type"), "{said}");
}

#[test]
fn a_panic_or_an_error_in_the_place_of_an_answer_is_named() {
    for of in ["panic", "error"] {
        let part = part(&[&format!("3:native={of}")]);
        let said = words(&part.mismatches[0].detail);
        assert!(said.starts_with(&format!("outcome: {of}")), "{said}");
        assert!(said.contains("differs from the same function called from Rust"), "{said}");
    }
}

#[test]
fn panics_are_alike_whatever_they_say_and_errors_are_not() {
    let (_folder, loaded) = project("[\"echo\"]", "");
    let interface = &loaded.project.interface;
    let ended = |outcome| Observation::new(Seen::Call(Call::new(outcome, &interface.functions[0].output, interface)));
    let found = |rust, mine| as_rust(Variant::Native, &ended(rust), &ended(mine));
    let (panic, error) =
        (|words: &str| Outcome::Panic(words.to_owned()), |words: &str| Outcome::Error(words.to_owned()));
    assert_eq!(found(panic("at lib.rs:1"), panic("at src/lib.rs:1")), Finding::Same);
    assert!(matches!(found(error("one"), error("other")), Finding::Mismatch(_)));
    assert!(matches!(found(error("one"), panic("one")), Finding::Mismatch(_)));
}

#[test]
fn a_size_that_wasm_does_not_have_is_skipped_there_alone() {
    let part = part(&["2:core=refused", "3:native=refused"]);
    let [wasm, native] = &part.rows[..] else { panic!("{:?}", part.rows) };
    let why: Vec<&str> = wasm.tally.skipped.keys().map(String::as_str).collect();
    assert_eq!((why, wasm.tally.mismatch), (vec!["a size beyond 32 bits, which Wasm does not have"], 0));
    assert!(native.tally.skipped.is_empty() && native.verdict == Verdict::Differs, "{:?}", native.tally);
}

#[test]
fn an_alternative_has_a_driver_of_its_own() {
    let part = part(&["3:native#fast=variable", "3:native#slow=variable", "3:native=variable"]);
    let said = |row: &str| {
        let of_row = part.mismatches.iter().find(|one| one.rows == [row]);
        words(&of_row.unwrap_or_else(|| panic!("{row}: {:?}", part.mismatches)).detail)
    };
    assert!(said("perl 3:native#fast").contains("\"3:native#fast\" instead of \"x\""));
    assert!(said("perl 3:native#slow").contains("\"3:native#slow\" instead of \"x\""));
    assert!(said("perl 3:native").contains("nothing instead of \"x\""), "{}", said("perl 3:native"));
}

#[test]
fn a_row_that_is_left_out_has_its_reason() {
    let (_folder, loaded) = project("[\"echo\"]", "");
    let left_out = [("perl 2:core", "there is no Wasm runtime")];
    let check = half(Only::Functions);
    let report = compare(&check, &loaded, &["0", "3:native"], &left_out);
    assert_eq!(report.parts[0].left_out, [(left_out[0].0.to_owned(), left_out[0].1.to_owned())]);

    let report = compare(&check, &loaded, &["0"], &left_out);
    assert!(report.parts.is_empty() && !report.is_clean() && !report.compared());
    let said = report.notes.join("\n");
    assert!(
        said.contains("functions of perl are not called") && said.ends_with("perl 2:core: there is no Wasm runtime")
    );
}

#[test]
fn without_a_server_only_calls_are_compared() {
    let (folder, loaded) = project("[\"echo\"]", "");
    write(folder.path(), &[("requests.http", "POST /\n\nwords\n")]);
    let check = Check { only: None, ..half(Only::Functions) };
    let report = compare(&check, &loaded, &["0", "3:native"], &[]);
    assert!(report.is_clean() && report.parts.len() == 1, "{report:?}");
    assert_eq!(report.notes, ["skipping the servers: no host of tierup.toml has `start`"]);
    let check = half(Only::Servers);
    let failure = check.plan(&loaded, &mut Quiet).unwrap().compare(Vec::new(), None, "", &Quiet).unwrap_err();
    assert_eq!(failure.to_string(), "error: no host of tierup.toml has `start`, so there is no server to ask");
}
