use std::os::unix::fs::{PermissionsExt as _, symlink};

use tierup_rollout::evidence::Slot;

use super::*;

fn ended() -> Line {
    Line { number: 0, at: 0, entry: Entry::Event(Event::Ended) }
}

/// The files, each with the numbers of its lines; 0 stands for an unreadable line.
fn numbers(state: &Path) -> Vec<Vec<u64>> {
    let mut files: Vec<_> = fs::read_dir(state.join("evidence"))
        .expect("it is there")
        .map(|entry| entry.expect("it is there").path())
        .collect();
    files.sort_by_key(|path| path.to_string_lossy().rsplit('-').next().map(|end| (end.len(), end.to_owned())));
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("it is text");
        text.lines().map(|line| Line::parse(line).map_or(0, |line| line.number)).collect()
    };
    files.iter().map(read).collect()
}

#[test]
fn files_are_private_and_lines_are_numbered() {
    let root = tempfile::tempdir().expect("there is room");
    let state = root.path().join("state");
    let mut file = EvidenceFile::new(&state, 1 << 30);
    file.append(ended()).expect("there is room");
    file.append(ended()).expect("there is room");
    assert_eq!(numbers(&state), [[1, 2]]);
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&state.join("evidence")), mode(&file.files[0])), (0o700, 0o600));
    assert_eq!(fs::read_to_string(state.join(".gitignore")).expect("it is there"), "*\n");
    // Another run has its own file.
    EvidenceFile::new(&state, 1 << 30).append(ended()).expect("there is room");
    assert_eq!(numbers(&state).len(), 2);
}

#[test]
fn files_are_bounded_and_the_oldest_is_removed_first() {
    let state = tempfile::tempdir().expect("there is room");
    let mut file = EvidenceFile::with_files(state.path(), 100, 300);
    for _ in 0..40 {
        file.append(ended()).expect("there is room");
    }
    let found = numbers(state.path());
    assert!((2..=3).contains(&found.len()), "{found:?}");
    assert!(found.iter().all(|numbers| numbers[0] == 1 && !numbers.contains(&0)), "{found:?}");
    assert!(file.made > 3);
}

#[test]
fn a_line_after_an_incomplete_one_can_be_read() {
    let state = tempfile::tempdir().expect("there is room");
    let mut file = EvidenceFile::new(state.path(), 1 << 30);
    file.append(ended()).expect("there is room");
    // The line is incomplete, as on a full disk.
    let open = file.open.as_mut().expect("it was written");
    open.file.write_all(b"{\"number\":2,\"at").expect("there is room");
    open.number += 1;
    open.is_cut = true;
    file.append(ended()).expect("there is room");
    assert_eq!(numbers(state.path()), [[1, 0, 3]]);
}

#[test]
fn unwritable_lines_are_lost_and_later_ones_are_written() {
    let state = tempfile::tempdir().expect("there is room");
    let folder = state.path().join("evidence");
    fs::write(&folder, "in the way").expect("there is room");
    let mut file = EvidenceFile::new(state.path(), 1 << 30);
    for _ in 0..3 {
        assert!(file.append(ended()).is_err());
    }
    fs::remove_file(&folder).expect("it is there");
    file.tried = None;
    file.append(ended()).expect("there is room");
    assert_eq!(numbers(state.path()), [[4]], "a reader sees that three are missing");
    // The folder is removed while its file is open.
    fs::remove_dir_all(&folder).expect("it is there");
    file.append(ended()).expect("there is room");
    assert_eq!(numbers(state.path()), [[1]]);
}

#[test]
fn a_folder_that_is_a_link_is_not_written_to() {
    let state = tempfile::tempdir().expect("there is room");
    let elsewhere = tempfile::tempdir().expect("there is room");
    symlink(elsewhere.path(), state.path().join("evidence")).expect("links can be made");
    assert!(EvidenceFile::new(state.path(), 1 << 30).append(ended()).is_err());
    assert_eq!(fs::read_dir(elsewhere.path()).expect("it is there").count(), 0);
}

#[test]
fn no_line_is_too_long_for_readers() {
    use tierup_rollout::evidence::{Copies, Pair};
    let kinds = |count: usize| (0..count).map(|kind| (format!("{kind}{}", "x".repeat(200)), 1)).collect();
    let copies = Copies { same: 1, mismatched: 10_000, kinds: kinds(10_000), ..Copies::new("GET /", Pair::Candidate) };
    let slot = Slot { copies: vec![copies], ..Slot::default() };
    let text = text(Line { number: 1, at: 0, entry: Entry::Slot(slot) }).expect("JSON");
    assert!(text.len() < LONGEST_LINE && text.contains("\"(others)\":10000"), "{}", text.len());
}

fn age(path: &Path, days: u32) {
    let file = File::options().write(true).open(path).expect("it is there");
    file.set_modified(SystemTime::now() - days * DAY).expect("it is ours");
}

#[test]
fn old_or_surplus_files_of_earlier_runs_are_removed() {
    let state = tempfile::tempdir().expect("there is room");
    let run = |lines: usize| {
        let mut file = EvidenceFile::with_files(state.path(), 1_000, 2_000);
        (0..lines).for_each(|_| file.append(ended()).expect("there is room"));
        file.files[0].clone()
    };
    let [ancient, old, large, now] = [2, 2, 20, 2].map(run);
    for (path, days) in [(&ancient, 15), (&old, 1), (&large, 2)] {
        age(path, days);
    }
    run(1);
    assert_eq!([&ancient, &old, &large, &now].map(|path| path.exists()), [false, true, false, true]);
    // Entries that are not regular files are never removed.
    let link = state.path().join("evidence/link.jsonl");
    symlink(&old, &link).expect("links can be made");
    run(1);
    assert!(link.exists() && now.exists());
}

fn began() -> Line {
    let sides = [(tierup_rollout::Side::Control, "http://127.0.0.1:1".to_owned())].into();
    Line { number: 0, at: 7, entry: Entry::Event(Event::Began { sides }) }
}

#[test]
fn each_file_begins_with_the_first_event() {
    let state = tempfile::tempdir().expect("there is room");
    let mut file = EvidenceFile::with_files(state.path(), 300, 1 << 20);
    file.append(began()).expect("there is room");
    (0..60).for_each(|_| file.append(ended()).expect("there is room"));
    assert!(file.made >= 12, "{}", file.made);
    for path in &file.files {
        let text = fs::read_to_string(path).expect("it is text");
        let first = text.lines().next().and_then(|line| Line::parse(line).ok()).expect("a line");
        assert_eq!((first.number, first.entry), (1, began().entry));
        assert_eq!(text.matches("began").count(), 1, "{text}");
    }
    // Without the first file, the summary still knows of one proxy. The tenth file follows the ninth.
    fs::remove_file(&file.files[0]).expect("it is there");
    let read = crate::State::read(state.path()).expect("it can be read");
    assert_eq!((read.summary.proxies, read.broken, read.lost), (1, 0, 0));
}

#[test]
fn a_beginning_that_was_lost_is_written_again() {
    let state = tempfile::tempdir().expect("there is room");
    let mut file = EvidenceFile::new(state.path(), 1 << 30);
    file.append(ended()).expect("there is room");
    // This file cannot be written to.
    let reader = File::open(&file.files[0]).expect("it is there");
    let writer = std::mem::replace(&mut file.open.as_mut().expect("it was written").file, reader);
    assert!(file.append(began()).is_err());
    file.open.as_mut().expect("it is still open").file = writer;
    file.append(ended()).expect("there is room");
    assert_eq!(numbers(state.path()), [[1, 3, 4]]);
    assert_eq!(fs::read_to_string(&file.files[0]).expect("it is text").matches("began").count(), 1);
}

#[test]
fn git_ignores_a_folder_that_was_there_before() {
    let state = tempfile::tempdir().expect("there is room");
    EvidenceFile::new(state.path(), 1 << 30).append(ended()).expect("there is room");
    let ignore = state.path().join(".gitignore");
    assert_eq!(fs::read_to_string(&ignore).expect("it is there"), "*\n");
    fs::write(&ignore, "mine\n").expect("there is room");
    EvidenceFile::new(state.path(), 1 << 30).append(ended()).expect("there is room");
    assert_eq!(fs::read_to_string(&ignore).expect("it is there"), "mine\n");
}
