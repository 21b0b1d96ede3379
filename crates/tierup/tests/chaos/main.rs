//! A rollout whose programs are killed, frozen and restarted at random, while clients send requests without a pause.
//!
//!     cargo test -p tierup --test chaos -- --events 200 --seed 1
//!
//! The proxy, the judge, control, the candidate and its twin are processes of their own. These must hold:
//! - no request is lost, except those under way at a proxy or at control when it was killed,
//! - the candidate's weight is always one that the judge decided,
//! - after a full disk, a damaged database or a damaged control file, control answers every request,
//! - afterwards the ramp reaches 100 % without help.
//!
//! Not part of a plain `cargo test`: `cargo xtask test end-to-end` runs a short one.

#![cfg(unix)]

mod events;
mod load;
mod processes;
mod server;
mod watch;
mod world;

use std::{env, net::SocketAddr, process::ExitCode};

use rand::{SeedableRng as _, rngs::StdRng};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["--serve", name, address] = words[..] {
        let name = world::SERVERS.into_iter().find(|known| *known == name).expect("a server's name");
        server::run(address.parse::<SocketAddr>().expect("an address"), name);
    }
    let number = |flag: &str, default: u64| {
        let value = words.iter().position(|word| *word == flag).and_then(|index| words.get(index + 1));
        value.map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{flag} takes a number")))
    };
    let (count, seed) = (number("--events", 30), number("--seed", 1));
    println!("{count} events, seed {seed}");
    let mut world = world::World::new();
    world.wait_for_weight();
    let mut random = StdRng::seed_from_u64(seed);
    for event in 0..count {
        events::one(&mut world, &mut random, event);
    }
    events::damage(&mut world);
    world.finish();
    ExitCode::SUCCESS
}
