//! The events of a chaos test.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use rand::{RngExt as _, rngs::StdRng};
use tierup_rollout::{Part, Phase};

use crate::world::{self, World};

/// How long the disk stays full.
const FULL: Duration = Duration::from_secs(15);

/// Freezes, kills or ends a random program, and makes it run again.
pub(crate) fn one(world: &mut World, random: &mut StdRng, number: u64) {
    let pause = Duration::from_millis(random.random_range(50..700));
    let (who, how) = (random.random_range(0..5), random.random_range(0..3));
    let began = Instant::now();
    let program = match who {
        0 => &mut world.control,
        1 => &mut world.candidate,
        2 => &mut world.twin,
        3 => &mut world.proxy,
        _ => &mut world.judge,
    };
    let name = program.name;
    let what = match how {
        0 => {
            program.signal("-STOP");
            thread::sleep(pause);
            program.signal("-CONT");
            "frozen"
        }
        1 => {
            program.signal("-KILL");
            program.wait();
            thread::sleep(pause / 2);
            program.restart();
            "killed"
        }
        _ => {
            program.signal("-TERM");
            program.wait();
            program.restart();
            "ended"
        }
    };
    if how > 0 && matches!(name, "proxy" | "control") {
        world.outage(began);
    }
    println!(
        "{number}: {name} {what}; {}",
        world
            .told()
            .map_or("no control file".to_owned(), |told| { format!("{} at {}", told.phase, told.weights.candidate) })
    );
    thread::sleep(Duration::from_millis(random.random_range(0..800)));
    world.next_ramp();
}

/// Damages files, one after the other, and waits for recovery.
pub(crate) fn damage(world: &mut World) {
    world.wait_for_weight();
    println!("a control file that somebody cut");
    let control = world.state().join("control");
    let text = fs::read(&control).expect("there is one");
    fs::write(&control, &text[..text.len() / 2]).expect("it can be written");
    thread::sleep(Duration::from_secs(1));
    world.wait_for_weight();

    match FullDisk::of(&world.state()) {
        Err(why) => println!("a full disk: NOT TRIED, as this needs a disk of its own: {why}"),
        Ok(full) => {
            println!("a full disk");
            thread::sleep(FULL);
            drop(full);
            world.wait_for_weight();
        }
    }

    println!("a damaged database");
    world.judge.signal("-KILL");
    world.judge.wait();
    // The second file is the database's write-ahead log, which has the latest writes.
    for name in ["rollout.db", "rollout.db-wal"] {
        let path = world.state().join(name);
        let Ok(mut bytes) = fs::read(&path) else { continue };
        bytes.iter_mut().skip(100).for_each(|byte| *byte ^= 0x5a);
        fs::write(&path, bytes).expect("it can be written");
    }
    world.judge.restart();
    // The judge does not know the ramp any more, so it begins another one.
    let before = world.told().map(|told| told.ramp);
    world.wait("another ramp begins", |told| Some(&told.ramp) != before.as_ref());
    world.wait("it rises by itself", |told| told.phase == Phase::Ramping && told.weights.candidate > Part::NONE);
}

/// A file that takes all remaining space.
struct FullDisk(PathBuf);

impl FullDisk {
    fn of(state: &Path) -> Result<FullDisk, String> {
        if !world::is_disk_of_its_own(state) {
            return Err(format!("{} is on a disk with other files (are you root?)", state.display()));
        }
        let path = state.join("filler");
        let mut file = File::create(&path).map_err(|error| error.to_string())?;
        // Fills the disk to the last byte.
        for size in [1 << 16, 1 << 10, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
        Ok(FullDisk(path))
    }
}

impl Drop for FullDisk {
    fn drop(&mut self) {
        fs::remove_file(&self.0).expect("it is there");
    }
}
