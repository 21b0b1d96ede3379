//! The effects of `write`, `Copy` and `Convert` on a folder.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::SystemTime,
};

use tempfile::tempdir;
use tierup_codegen::{Command, Converter, Files, Step, THIS_MACHINE};
use tierup_runner::{Error, Quiet, Workshop, Written, carry_out, converted, write};

fn files(names: &[(&str, &str)]) -> Files {
    names.iter().fold(Files::new(), |files, (name, content)| files.with(*name, *content))
}

fn age(path: &Path) {
    fs::File::options().append(true).open(path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
}

#[test]
fn unchanged_files_are_not_touched() {
    let root = tempdir().unwrap();
    let both = files(&[("a.txt", "one"), ("deep/er/b.txt", "two")]);
    assert_eq!(write(&both, root.path()).unwrap(), Written { changed: 2, unchanged: 0, removed: 0 });
    age(&root.path().join("a.txt"));
    let next = files(&[("a.txt", "one"), ("deep/er/b.txt", "three")]);
    assert_eq!(write(&next, root.path()).unwrap(), Written { changed: 1, unchanged: 1, removed: 0 });
    let modified = fs::metadata(root.path().join("a.txt")).unwrap().modified().unwrap();
    assert_eq!(modified, SystemTime::UNIX_EPOCH);
    assert_eq!(fs::read_to_string(root.path().join("deep/er/b.txt")).unwrap(), "three");
}

#[test]
fn files_no_longer_generated_are_removed_and_others_stay() {
    let root = tempdir().unwrap();
    write(&files(&[("keep.txt", ""), ("old/crate/lib.rs", ""), ("shared/ours.txt", "")]), root.path()).unwrap();
    fs::write(root.path().join("shared/theirs.txt"), "").unwrap();
    let written = write(&files(&[("keep.txt", "")]), root.path()).unwrap();
    assert_eq!(written, Written { changed: 0, unchanged: 1, removed: 2 });
    assert!(!root.path().join("old").exists());
    assert!(root.path().join("shared/theirs.txt").exists());
}

#[test]
fn names_in_an_edited_list_do_not_lead_outside() {
    let folder = tempdir().unwrap();
    let root = folder.path().join("root");
    let precious = folder.path().join("precious.txt");
    fs::write(&precious, "").unwrap();
    write(&Files::new(), &root).unwrap();
    fs::write(root.join(".generated"), format!("../precious.txt\n{}\n", precious.display())).unwrap();
    write(&Files::new(), &root).unwrap();
    assert!(precious.exists());
}

#[test]
fn an_error_names_the_path_and_leaves_no_partial_file() {
    let root = tempdir().unwrap();
    fs::create_dir(root.path().join("a.txt")).unwrap();
    let error = write(&files(&[("a.txt", "one")]), root.path()).unwrap_err();
    assert!(error.to_string().contains("a.txt"), "{error}");
    let names: Vec<_> = fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "the folder and the list: {names:?}");
}

#[cfg(unix)]
#[test]
fn scripts_are_executable_and_modes_stay() {
    use std::os::unix::fs::PermissionsExt;

    let root = tempdir().unwrap();
    let mode = |name: &str| fs::metadata(root.path().join(name)).unwrap().permissions().mode() & 0o777;
    write(&files(&[("bin.js", "#!/usr/bin/env node\n"), ("index.js", "1")]), root.path()).unwrap();
    assert_eq!((mode("bin.js") & 0o111, mode("index.js") & 0o111), (0o111, 0));
    fs::set_permissions(root.path().join("index.js"), fs::Permissions::from_mode(0o600)).unwrap();
    write(&files(&[("bin.js", "#!/usr/bin/env node\n2"), ("index.js", "2")]), root.path()).unwrap();
    assert_eq!((mode("bin.js") & 0o111, mode("index.js")), (0o111, 0o600));
}

#[test]
fn a_copy_replaces_the_file_rather_than_writing_into_it() {
    let folder = tempdir().unwrap();
    let workshop = workshop(folder.path());
    let copy = Step::Copy { from: "built".into(), to: "deep/place".into() };
    let place = folder.path().join("deep/place");

    fs::write(folder.path().join("built"), "old").unwrap();
    assert_eq!(carry_out(&copy, &workshop, &mut Quiet).unwrap(), Some(place.clone()));
    let open = fs::File::open(&place).unwrap();
    fs::write(folder.path().join("built"), "new").unwrap();
    carry_out(&copy, &workshop, &mut Quiet).unwrap();
    assert_eq!(fs::read_to_string(&place).unwrap(), "new");
    assert_eq!(std::io::read_to_string(open).unwrap(), "old");

    age(&place);
    carry_out(&copy, &workshop, &mut Quiet).unwrap();
    assert_eq!(fs::metadata(&place).unwrap().modified().unwrap(), SystemTime::UNIX_EPOCH);
}

fn workshop(root: &Path) -> Workshop {
    Workshop { root: root.into(), cache: root.join("cache"), environment: vec![], this_machine: "a-b-c".into() }
}

#[test]
fn steps_name_the_target_of_this_machine() {
    let folder = tempdir().unwrap();
    let workshop = workshop(folder.path());
    let command = Command::new(
        "sh",
        ["-c", "mkdir -p target/$1/release && echo $1 > target/$1/release/made", "sh", THIS_MACHINE],
    );
    carry_out(&Step::Run(command), &workshop, &mut Quiet).unwrap();
    let from = Path::new("target").join(THIS_MACHINE).join("release/made");
    carry_out(&Step::Copy { from, to: "made".into() }, &workshop, &mut Quiet).unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("made")).unwrap(), "a-b-c\n");
}

#[test]
fn a_second_program_replaces_one_that_fails_with_this_conflict() {
    let folder = tempdir().unwrap();
    let workshop = workshop(folder.path());
    let either = |preferred: &str| {
        let shell = |script: &str| Command::new("sh", ["-c", script]);
        let (preferred, otherwise) = (shell(preferred), shell("echo second > made"));
        fs::write(folder.path().join("made"), "").unwrap();
        let done = carry_out(&Step::Either { preferred, conflict: "two of", otherwise }, &workshop, &mut Quiet);
        (done.is_ok(), fs::read_to_string(folder.path().join("made")).unwrap())
    };
    assert_eq!(either("echo first > made"), (true, "first\n".to_owned()));
    assert_eq!(either("echo two of them"), (true, String::new()));
    assert_eq!(either("echo two of them >&2; exit 101"), (true, "second\n".to_owned()));
    assert_eq!(either("echo another error >&2; exit 101"), (false, String::new()));
}

#[test]
fn a_conversion_is_done_once_per_input() {
    let folder = tempdir().unwrap();
    let workshop = workshop(folder.path());
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let converter = Converter::new(move |bytes| {
        counter.fetch_add(1, Ordering::Relaxed);
        let text = String::from_utf8(bytes.to_vec()).map_err(|_| "no text".to_owned())?;
        Ok(Files::new().with(format!("{text}.js"), text))
    });
    let step = Step::Convert { from: "in".into(), into: "out".into(), converter };
    let convert = |input: &[u8]| {
        fs::write(folder.path().join("in"), input).unwrap();
        carry_out(&step, &workshop, &mut Quiet).map(|_| count.load(Ordering::Relaxed))
    };
    assert_eq!(convert(b"a").unwrap(), 1);
    assert_eq!(convert(b"a").unwrap(), 1);
    fs::remove_file(folder.path().join("out/a.js")).unwrap();
    assert_eq!(convert(b"a").unwrap(), 2);
    assert_eq!(convert(b"b").unwrap(), 3);
    assert!(!folder.path().join("out/a.js").exists());
    assert!(matches!(convert(b"\xff"), Err(Error::Convert { reason, .. }) if reason == "no text"));
}

#[test]
fn a_command_may_convert_into_folders() {
    let folder = tempdir().unwrap();
    let workshop = workshop(folder.path());
    fs::write(folder.path().join("in"), "a").unwrap();
    let step = |script: &'static str| {
        let command = move |from: &str, to: &str| Command::new("sh", ["-c", script, from, to]);
        let converter = Converter::by_command(command, |made| Ok(made.with("own", "b")));
        Step::Convert { from: "in".into(), into: "out".into(), converter }
    };
    let convert = |script| carry_out(&step(script), &workshop, &mut Quiet);
    let failed = convert("echo no such class; exit 1");
    assert!(matches!(failed, Err(Error::Convert { reason, .. }) if reason == "no such class"));
    convert("mkdir -p $1/java/deep && cp $0 $1/java/deep/made").unwrap();
    let made = converted(&folder.path().join("out"), &workshop).unwrap();
    let made: Vec<_> = made.iter().collect();
    assert_eq!(made, [("java/deep/made", &b"a"[..]), ("own", b"b")]);
}
