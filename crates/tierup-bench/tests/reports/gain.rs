//! Where a gain comes from: which rows are compared, that the parts add up, and when there is no account.

use expect_test::expect;
use tierup_bench::{
    analysis::{Cause, Gain, analyse},
    histogram::Latencies,
    record::{Change, Record, Role},
    report::{RunReport, html, markdown, text},
};
use tierup_report::{Exporter as _, Json, markdown::inline};

use crate::{
    page::read,
    sample::{self, Server, server},
    text::WIDE,
};

/// Rows of a project: their labels, and their throughput as a multiple of the reference's.
pub(crate) const ROWS: [(&str, f64); 8] = [
    ("0", 1.0),
    ("0:tuned", 6.0),
    ("0:free", 100.0),
    ("1:pool", 48.0),
    ("2:core", 60.0),
    ("3:native", 60.0),
    ("4:server", 80.0),
    ("2:core#by-hand", 75.0),
];

fn change(label: &str) -> Option<Change> {
    match label {
        "0:tuned" => Some(Change::Code { language: "Perl".into() }),
        "0" | "0:free" | "0:memo" => None,
        "4:server" => Some(Change::Server),
        label if label.contains('#') => Some(Change::Algorithm { of: "2:core".into() }),
        _ => Some(Change::Language),
    }
}

/// Five blocks of rows whose costs vary by one per cent, each in its own way.
pub(crate) fn run(rows: &[(&str, f64)]) -> Record {
    let row = |(label, speed): &(&str, f64)| -> Server {
        let role = match *label {
            "0" => Role::Reference,
            "0:free" => Role::Ceiling,
            label if label.starts_with("0:") => Role::Alternative,
            label if label.contains('#') => Role::Implementation,
            _ => Role::Candidate,
        };
        server(label, role, [500.0 * speed, 10.0 / speed, 512.0, 50.0])
    };
    let (mut record, _) = sample::run(&rows.iter().map(row).collect::<Vec<_>>(), 5);
    for row in &mut record.rows {
        row.change = change(&row.label);
    }
    for (number, block) in record.blocks.iter_mut().enumerate() {
        for (index, row) in block.rows.iter_mut().enumerate() {
            let factor = 1.0 + 0.01 * (1.7 * number as f64 + 2.3 * index as f64).sin();
            row.closed.iter_mut().for_each(|slice| slice.server_cpu = slice.server_cpu.map(|spent| spent * factor));
        }
    }
    record
}

fn gain(record: &Record) -> Option<Gain> {
    // Only costs matter here, and adding up histograms takes most of the time.
    let mut record = record.clone();
    for row in record.blocks.iter_mut().flat_map(|block| &mut block.rows) {
        row.open.clear();
        row.closed.iter_mut().for_each(|slice| slice.latencies = Latencies::default());
    }
    analyse(&record).groups.remove(0).gain
}

#[test]
fn each_part_has_one_cause() {
    expect!["Where the gain comes from: 0 takes 1,890 us of CPU a request; better Perl (0:tuned) saves 1,570 us [1,540, 1,610]; Rust (1:pool) saves 276 us [269, 284]; the crossing (2:core) saves 7.96 us [7.05, 8.88]; the crossing (3:native) makes no difference; a server in Rust (4:server) saves 7.78 us [6.75, 8.82]; of 2:core, another algorithm (2:core#by-hand) saves 6.35 us [6.10, 6.59]; a function that cost nothing would leave 19 us (0:free)."]
        .assert_eq(&gain(&run(&ROWS)).unwrap().sentence);
}

#[test]
fn the_parts_add_up() {
    let gain = gain(&run(&ROWS)).unwrap();
    let chain: Vec<_> = gain.parts.iter().filter(|part| part.cause != Cause::Algorithm).collect();
    let saved: f64 = chain.iter().map(|part| part.saved).sum();
    assert!((gain.reference - saved - chain.last().unwrap().after).abs() < 1e-6, "{gain:?}");
    assert!(chain.windows(2).all(|pair| pair[0].row == pair[1].from), "{gain:?}");
}

#[test]
fn a_row_that_was_not_measured_has_no_part() {
    let without = |label: &str| ROWS.into_iter().filter(|row| row.0 != label).collect::<Vec<_>>();
    let causes = |record: &Record| gain(record).unwrap().parts.iter().map(|part| part.cause).collect::<Vec<_>>();
    use Cause::{Algorithm, Code, Crossing, Language, Server};
    assert_eq!(causes(&run(&without("0:tuned"))), [Language, Crossing, Crossing, Server, Algorithm]);
    assert_eq!(causes(&run(&without("1:pool"))), [Code, Language, Crossing, Server, Algorithm]);
    assert_eq!(causes(&run(&without("2:core"))), [Code, Language, Crossing, Server], "what it would start from");
    assert_eq!(gain(&run(&without("0:free"))).unwrap().floor, None);
    // A row that failed a request may have saved CPU by that.
    let mut record = run(&ROWS);
    record.blocks[1].rows[1].closed[0].failures.wrong_body = 1;
    assert_eq!(causes(&record), [Language, Crossing, Crossing, Server, Algorithm]);
}

#[test]
fn rust_is_compared_with_the_better_of_the_two() {
    let gain = gain(&run(&[("0", 1.0), ("0:tuned", 0.5), ("3:native", 3.0)])).unwrap();
    expect!["Where the gain comes from: 0 takes 1,890 us of CPU a request; better Perl (0:tuned) costs 1,880 us more [1,820, 1,950]; Rust (3:native) saves 1,260 us [1,250, 1,280]."]
        .assert_eq(&gain.sentence);
}

/// A cache saves calls, not the cost of one.
#[test]
fn a_cache_does_not_count_as_better_code() {
    let gain = gain(&run(&[("0", 1.0), ("0:memo", 9.0), ("3:native", 3.0)])).unwrap();
    assert_eq!(gain.parts.iter().map(|part| (part.from, part.row)).collect::<Vec<_>>(), [(0, 2)]);
}

#[test]
fn there_is_no_account_without_enough_data() {
    let mut record = run(&ROWS);
    record.blocks.truncate(1);
    assert_eq!(gain(&record), None, "one block has no interval");
    let mut record = run(&ROWS);
    record.rows.iter_mut().for_each(|row| row.change = None);
    assert_eq!(gain(&record), None, "servers by their addresses, and recordings of before");
    let mut record = run(&ROWS);
    for slice in record.blocks[2].rows[3].closed.iter_mut() {
        slice.server_cpu = None;
    }
    let part = &gain(&record).unwrap().parts[0];
    assert_eq!((part.from, part.row), (0, 1), "the other blocks count");
    record.rows[0].change = Some(Change::Language);
    assert_eq!(gain(&record), None, "another reference than the server as it was");
}

#[test]
fn every_report_has_the_account() {
    let record = run(&ROWS);
    let analysis = analyse(&record);
    let sentence = &analysis.groups[0].gain.as_ref().unwrap().sentence;
    let unwrapped = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unwrapped(text::render(&record, &analysis, WIDE)).contains(sentence));
    assert!(markdown::render(&record, &analysis).contains(&inline(sentence)));
    assert!(Json.export(&RunReport::new(&record, &analysis)).contains("\"cause\": \"crossing\""));
    let page = html::render(&record, &analysis);
    assert_eq!(
        read(&page).lines().find(|line| line.starts_with('[')),
        Some(&*format!("[{sentence}]")),
        "the first picture"
    );
    for label in ["better Perl (0:tuned)", "saves 1,570 us", "0:free: a function that costs nothing"] {
        assert!(page.contains(label), "{label}");
    }
}
