use tierup_rollout::{Judge, Phase, Plan, RampKey, Side};

use super::*;
use crate::intake::Waiting;

fn saved(generation: u64) -> Saved {
    Saved {
        name: "3f2a9c01".into(),
        key: RampKey::new([7; 16]),
        began: 1_795_406_400,
        elapsed: 5_000,
        phase: Phase::Ramping,
        weights: Weights::with_twin("5%".parse().expect("a part")),
        generation,
    }
}

fn mind() -> Mind {
    let mut judge = Judge::new("3f2a9c01", Plan::default()).expect("a plan that can be carried out");
    judge.applied("5%".parse().expect("a part"), 1, 0);
    Mind { judge, waiting: Waiting::default(), is_ready: true }
}

fn decided(number: u64) -> Decided {
    Decided {
        number,
        ramp: "3f2a9c01".into(),
        at: 1_795_406_400,
        generation: 2,
        decision: crate::Action::Advance,
        weight: "5%".parse().expect("a part"),
        reasons: vec!["all quiet".into()],
    }
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("there is room"))
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("rollout.db")
    }

    fn open(&self) -> Opened {
        Embedded::open(&State::at(self.0.path().to_owned()), 1_795_406_400).expect("it can be opened")
    }
}

fn write(store: &mut Embedded, generation: u64) -> Result<()> {
    let position = Position { offset: 10 * generation, number: generation, broken: 1, lost: 2, skipping: true };
    let sides = BTreeMap::from([(Side::Candidate, "http://127.0.0.1:1".to_owned())]);
    let source = Source { position, sides, unreachable: vec![Side::Twin], ended: false };
    store.write(&Change {
        saved: &saved(generation),
        mind: &mind(),
        sources: BTreeMap::from([("a.jsonl", &source)]),
        costs: Costs::from([((498_724, Side::Candidate), Cost { answered: 10, processor: 0.5 })]),
        decided: Some(&decided(generation)),
    })
}

#[test]
fn only_complete_changes_survive_a_restart() {
    let folder = Folder::new();
    let mut store = folder.open().store;
    assert_eq!(store.ramp().expect("it can be read"), None);
    write(&mut store, 1).expect("there is room");
    write(&mut store, 2).expect("there is room");
    // A decision with that number exists, so the third change is not written at all.
    let (saved_3, mind_3) = (saved(3), mind());
    let decided_2 = decided(2);
    let (sources, costs) = (BTreeMap::new(), Costs::new());
    let refused = store.write(&Change { saved: &saved_3, mind: &mind_3, sources, costs, decided: Some(&decided_2) });
    assert!(refused.is_err());
    drop(store);
    let opened = folder.open();
    assert!(opened.set_aside.is_none());
    let mut store = opened.store;
    assert_eq!(store.ramp().expect("it can be read"), Some((saved(2), Some(mind()))));
    let sources = store.sources().expect("they can be read");
    assert_eq!(sources["a.jsonl"].position.offset, 20);
    assert_eq!(sources["a.jsonl"].unreachable, [Side::Twin]);
    assert_eq!(store.decisions_after(1).expect("they can be read"), [decided(2)]);
    assert_eq!(store.next_number().expect("it can be read"), 3);
    let costs = store.costs("3f2a9c01").expect("they can be read");
    assert_eq!(costs[&(498_724, Side::Candidate)], Cost { answered: 20, processor: 1.0 });
}

#[test]
fn a_killed_process_leaves_a_sound_database() {
    let folder = Folder::new();
    let mut store = folder.open().store;
    write(&mut store, 1).expect("there is room");
    // Copies the files while the database is open, when only the log has the change.
    let copy = Folder::new();
    for suffix in ["", "-wal"] {
        let from = format!("{}{suffix}", folder.path().display());
        fs::copy(from, format!("{}{suffix}", copy.path().display())).expect("there is room");
    }
    assert_eq!(copy.open().store.ramp().expect("it can be read"), Some((saved(1), Some(mind()))));
    // Cuts the log's last change.
    let log = PathBuf::from(format!("{}-wal", folder.path().display()));
    let whole = fs::read(&log).expect("it is there");
    write(&mut store, 2).expect("there is room");
    let longer = fs::read(&log).expect("it is there");
    for cut in [whole.len() + 1, (whole.len() + longer.len()) / 2, longer.len() - 1] {
        let copy = Folder::new();
        fs::copy(folder.path(), copy.path()).expect("there is room");
        fs::write(format!("{}-wal", copy.path().display()), &longer[..cut]).expect("there is room");
        let opened = copy.open();
        assert!(opened.set_aside.is_none());
        assert_eq!(opened.store.ramp().expect("it can be read"), Some((saved(1), Some(mind()))), "cut at {cut}");
    }
}

#[test]
fn a_damaged_database_is_set_aside_and_a_new_one_is_empty() {
    let sound = Folder::new();
    let mut store = sound.open().store;
    write(&mut store, 1).expect("there is room");
    drop(store);
    let bytes = fs::read(sound.path()).expect("it is there");
    let damaged_pages = {
        let mut bytes = bytes.clone();
        bytes.iter_mut().skip(4096).for_each(|byte| *byte ^= 0x5a);
        bytes
    };
    let execute = |sql: &str| {
        let folder = Folder::new();
        fs::write(folder.path(), &bytes).expect("there is room");
        Connection::open(folder.path()).and_then(|connection| connection.execute_batch(sql)).expect("it is sound");
        fs::read(folder.path()).expect("it is there")
    };
    for (what, bytes) in [
        ("text", b"not a database, but long enough to be one".repeat(100)),
        ("cut", bytes[..bytes.len() / 2].to_vec()),
        ("pages", damaged_pages),
        ("version", execute("PRAGMA user_version = 99")),
        ("table", execute("DROP TABLE source")),
        ("phase", execute("UPDATE ramp SET phase = 'flying'")),
        ("key", execute("UPDATE ramp SET key = ''")),
        ("judge", execute("UPDATE ramp SET judge = '{}'")),
        ("weight", execute("UPDATE ramp SET candidate = 1000")),
        ("decision", execute("UPDATE decision SET text = '{'")),
    ] {
        let folder = Folder::new();
        fs::write(folder.path(), &bytes).expect("there is room");
        let opened = folder.open();
        let (aside, why) = opened.set_aside.unwrap_or_else(|| panic!("{what} was believed"));
        assert_eq!(fs::read(&aside).expect("it is kept"), bytes, "{what}: {why}");
        assert_eq!(opened.store.ramp().expect("it can be read"), None, "{what}");
        // Two are set aside in the same second.
        drop(opened.store);
        fs::write(folder.path(), "again").expect("there is room");
        assert_ne!(folder.open().set_aside.expect("it is damaged again").0, aside);
    }
}
