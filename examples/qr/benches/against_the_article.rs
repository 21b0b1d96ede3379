//! `cargo bench`: how long `generate_qr_code` takes and how large its files are, beside the function by hand and what the
//! article that this example comes from does with the `qrcode` and `image` crates.
//!
//! One thread. All ways take turns within each round, so that whatever else the machine does hits
//! all alike; ratios are taken within a round, and medians over all rounds. A turn is about as short
//! as the time that a busy system leaves to a process at once: most turns are then undisturbed, and
//! the median is of those. Printed beside each median is where the middle half of the rounds lies.

use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 501;
/// The first three addresses that the article's load test asks for.
const TEXTS: [&str; 3] = [
    "https://github.com/pretzelhammer/rust-blog",
    "https://www.reddit.com/r/rustjerk/top/?t=all",
    "https://youtu.be/cE0wfjsybIQ?t=74",
];

/// A way to draw a code.
struct Way {
    name: &'static str,
    generate: fn(&str) -> Vec<u8>,
    /// How often a turn draws the code of each text.
    calls: usize,
}

const WAYS: [Way; 3] = [
    Way { name: "the function", generate: ours, calls: 3 },
    Way { name: "by hand", generate: by_hand, calls: 20 },
    Way { name: "the article's", generate: the_articles, calls: 1 },
];

fn ours(text: &str) -> Vec<u8> {
    qr::generate_qr_code(text).expect("the texts fit")
}

fn by_hand(text: &str) -> Vec<u8> {
    qr::by_hand::generate_qr_code_by_hand(text).expect("the texts fit")
}

fn the_articles(text: &str) -> Vec<u8> {
    qr::article::generate_qr_code_as_in_the_article(text).expect("the texts fit")
}

fn main() {
    // `cargo test --benches` runs this file too; it measures nothing then.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let mut took = WAYS.map(|_| Vec::new());
    for round in 0..ROUNDS {
        // By turns, so that none always runs in another's caches.
        for turn in 0..WAYS.len() {
            let way = (round + turn) % WAYS.len();
            took[way].push(microseconds_per_call(&WAYS[way]));
        }
    }

    println!(
        "{ROUNDS} rounds of {} texts; median [quartiles], the fastest turn, and how often the article's takes that",
        TEXTS.len()
    );
    println!("{:<14} {:>24} {:>9} {:>8} {:>20}", "", "us/call", "fastest", "bytes", "ratio");
    for (way, times) in WAYS.iter().zip(&took) {
        let ratios: Vec<f64> = times.iter().zip(&took[WAYS.len() - 1]).map(|(this, theirs)| theirs / this).collect();
        let bytes = bytes(way);
        println!(
            "{:<14} {:>24} {:>9.1} {bytes:>8.1} {:>20}",
            way.name,
            spread(times),
            quarter(times, 0),
            spread(&ratios)
        );
    }
    if took.iter().any(|times| quarter(times, 3) > 1.5 * quarter(times, 1)) {
        println!("doubtful: the machine had other work to do, as the quartiles show");
    }
}

/// The mean over one turn.
fn microseconds_per_call(way: &Way) -> f64 {
    let start = Instant::now();
    for _ in 0..way.calls {
        for text in TEXTS {
            black_box((way.generate)(black_box(text)));
        }
    }
    start.elapsed().as_secs_f64() * 1e6 / (way.calls * TEXTS.len()) as f64
}

/// The mean size of the files.
fn bytes(way: &Way) -> f64 {
    TEXTS.iter().map(|text| (way.generate)(text).len()).sum::<usize>() as f64 / TEXTS.len() as f64
}

fn spread(values: &[f64]) -> String {
    format!("{:.1} [{:.1}, {:.1}]", quarter(values, 2), quarter(values, 1), quarter(values, 3))
}

/// The least of the values (0), a quartile (1 to 3) or the greatest (4).
fn quarter(values: &[f64], quarter: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[(sorted.len() - 1) * quarter / 4]
}
