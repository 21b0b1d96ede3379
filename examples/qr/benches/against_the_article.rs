//! `cargo bench`: how long `generate_qr_code` takes and how large its files are, beside what the
//! article that this example comes from does with the `qrcode` and `image` crates.
//!
//! One thread. Both ways take turns within each round, so that whatever else the machine does hits
//! both alike; ratios are taken within a round, and medians over all rounds. Printed beside each
//! median is where the middle half of the rounds lies.

use std::hint::black_box;
use std::time::Instant;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ImageEncoder, Luma};
use qrcode::{EcLevel, QrCode};

const ROUNDS: usize = 41;
/// How often a round makes the code of each text.
const CALLS: usize = 50;

/// The first three addresses that the article's load test asks for.
const TEXTS: [&str; 3] = [
    "https://github.com/pretzelhammer/rust-blog",
    "https://www.reddit.com/r/rustjerk/top/?t=all",
    "https://youtu.be/cE0wfjsybIQ?t=74",
];

type Generate = fn(&str) -> Vec<u8>;

fn ours(text: &str) -> Vec<u8> {
    qr::generate_qr_code(text).expect("the texts fit")
}

/// As in the article: the library's own choice of mask, at least 200 pixels wide, a byte per pixel.
fn the_articles(text: &str) -> Vec<u8> {
    let code = QrCode::with_error_correction_level(text, EcLevel::L).expect("the texts fit");
    let pixels = code.render::<Luma<u8>>().min_dimensions(200, 200).build();
    let mut file = Vec::with_capacity(512);
    PngEncoder::new_with_quality(&mut file, CompressionType::Default, FilterType::NoFilter)
        .write_image(&pixels, pixels.width(), pixels.height(), image::ExtendedColorType::L8)
        .expect("a vector takes all that is written to it");
    file
}

fn main() {
    // `cargo test --benches` runs this file too; it measures nothing then.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    for generate in [ours as Generate, the_articles] {
        microseconds_per_call(generate);
    }
    let mut ours_took = Vec::new();
    let mut the_articles_took = Vec::new();
    for round in 0..ROUNDS {
        // By turns, so that neither always runs in the other's caches.
        if round % 2 == 0 {
            ours_took.push(microseconds_per_call(ours));
            the_articles_took.push(microseconds_per_call(the_articles));
        } else {
            the_articles_took.push(microseconds_per_call(the_articles));
            ours_took.push(microseconds_per_call(ours));
        }
    }
    let ratios = ours_took.iter().zip(&the_articles_took).map(|(ours, theirs)| theirs / ours).collect();

    println!("{ROUNDS} rounds of {CALLS} calls per text; median [quartiles]");
    println!("{:<14} {:>26} {:>10}", "", "us/call", "bytes");
    println!("{:<14} {:>26} {:>10.1}", "this crate", spread(ours_took), bytes(ours));
    println!("{:<14} {:>26} {:>10.1}", "the article's", spread(the_articles_took), bytes(the_articles));
    println!("{:<14} {:>26}", "ratio", spread(ratios));
    for text in TEXTS {
        println!("{:>5} bytes for {text}", ours(text).len());
    }
}

/// The mean over a round's calls.
fn microseconds_per_call(generate: Generate) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        for text in TEXTS {
            black_box(generate(black_box(text)));
        }
    }
    start.elapsed().as_secs_f64() * 1e6 / (CALLS * TEXTS.len()) as f64
}

/// The mean size of the files.
fn bytes(generate: Generate) -> f64 {
    TEXTS.iter().map(|text| generate(text).len()).sum::<usize>() as f64 / TEXTS.len() as f64
}

fn spread(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    let at = |quarter: usize| values[(values.len() - 1) * quarter / 4];
    format!("{:.1} [{:.1}, {:.1}]", at(2), at(1), at(3))
}
