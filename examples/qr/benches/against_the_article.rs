//! `cargo bench`: how long `generate_qr_code` takes and how large its files are, beside what the
//! article that this example comes from does with the `qrcode` and `image` crates.
//!
//! One thread. Both ways take turns within each round, so that whatever else the machine does hits
//! both alike; ratios are taken within a round, and medians over all rounds. A turn is about as short
//! as the time that a busy system leaves to a process at once: most turns are then undisturbed, and
//! the median is of those. Printed beside each median is where the middle half of the rounds lies.

use std::hint::black_box;
use std::time::Instant;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ImageEncoder, Luma};
use qrcode::{EcLevel, QrCode};

const ROUNDS: usize = 501;
/// How often a turn makes the code of each text.
const CALLS_OF_OURS: usize = 20;
const CALLS_OF_THE_ARTICLES: usize = 1;

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
    let time_ours = || microseconds_per_call(ours, CALLS_OF_OURS);
    let time_the_articles = || microseconds_per_call(the_articles, CALLS_OF_THE_ARTICLES);
    let mut ours_took = Vec::new();
    let mut the_articles_took = Vec::new();
    for round in 0..ROUNDS {
        // By turns, so that neither always runs in the other's caches.
        if round % 2 == 0 {
            ours_took.push(time_ours());
            the_articles_took.push(time_the_articles());
        } else {
            the_articles_took.push(time_the_articles());
            ours_took.push(time_ours());
        }
    }
    let ratios: Vec<f64> = ours_took.iter().zip(&the_articles_took).map(|(ours, theirs)| theirs / ours).collect();

    println!("{ROUNDS} rounds of {} texts; median [quartiles], and the fastest turn", TEXTS.len());
    println!("{:<14} {:>24} {:>9} {:>8}", "", "us/call", "fastest", "bytes");
    for (who, took, generate) in
        [("this crate", &ours_took, ours as Generate), ("the article's", &the_articles_took, the_articles)]
    {
        println!("{who:<14} {:>24} {:>9.1} {:>8.1}", spread(took), quarter(took, 0), bytes(generate));
    }
    println!(
        "{:<14} {:>24} {:>9.1}",
        "ratio",
        spread(&ratios),
        quarter(&the_articles_took, 0) / quarter(&ours_took, 0)
    );
    for text in TEXTS {
        println!("{:>5} bytes for {text}", ours(text).len());
    }
    if quarter(&ours_took, 3) > 1.5 * quarter(&ours_took, 1) {
        println!("doubtful: the machine had other work to do, as the quartiles show");
    }
}

/// The mean over one turn.
fn microseconds_per_call(generate: Generate, calls: usize) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        for text in TEXTS {
            black_box(generate(black_box(text)));
        }
    }
    start.elapsed().as_secs_f64() * 1e6 / (calls * TEXTS.len()) as f64
}

/// The mean size of the files.
fn bytes(generate: Generate) -> f64 {
    TEXTS.iter().map(|text| generate(text).len()).sum::<usize>() as f64 / TEXTS.len() as f64
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
