//! The function without any host, for `node/bench/calls.js`: reads a number of calls per line, answers with the
//! nanoseconds that one of them took.

use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::time::Instant;

/// The texts of `benches/against_the_article.rs`.
const TEXTS: [&str; 3] = [
    "https://github.com/pretzelhammer/rust-blog",
    "https://www.reddit.com/r/rustjerk/top/?t=all",
    "https://youtu.be/cE0wfjsybIQ?t=74",
];

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let calls: u32 = line?.trim().parse().map_err(io::Error::other)?;
        let began = Instant::now();
        for text in TEXTS.iter().cycle().take(calls as usize) {
            black_box(qr::generate_qr_code(black_box(text)).map_err(io::Error::other)?);
        }
        println!("{}", began.elapsed().as_nanos() / u128::from(calls.max(1)));
        io::stdout().flush()?;
    }
    Ok(())
}
