//! Reports do not claim what a run's raw results do not support.

use tierup_bench::{
    analysis::{Analysis, Figure, analyse},
    record::{Failures, Record, Role},
    report::{html, markdown},
};

use crate::{
    page::read,
    sample::{self, server},
};

/// A reference and two quicker rows, the last of which is the quickest.
fn three() -> Record {
    let figures = |speed: f64| [500.0 * speed, 10.0 / speed, 512.0, 50.0];
    let rows = [
        server("0", Role::Reference, figures(1.0)),
        server("2:core", Role::Candidate, figures(2.0)),
        server("3:native", Role::Candidate, figures(4.0)),
    ];
    sample::run(&rows, 5).0
}

const QUICKEST: usize = 2;

fn best(analysis: &Analysis, figure: Figure) -> Option<usize> {
    (0..analysis.rows.len()).find(|row| analysis.cell(*row, figure).is_some_and(|cell| cell.best))
}

#[test]
fn a_row_that_failed_is_never_best() {
    let mut record = three();
    assert_eq!(best(&analyse(&record), Figure::Throughput), Some(QUICKEST));
    record.blocks[1].rows[QUICKEST].closed[0].failures.wrong_body = 1;
    let analysis = analyse(&record);
    assert_eq!(best(&analysis, Figure::Throughput), Some(1));
    assert_eq!(best(&analysis, Figure::P99), Some(1));
}

#[test]
fn a_failure_in_warm_up_counts() {
    let mut record = three();
    record.blocks[1].rows[QUICKEST].unmeasured_failures = Failures { wrong_status: 2, ..Failures::default() };
    let analysis = analyse(&record);
    assert!(analysis.rows[QUICKEST].failed());
    assert_eq!(analysis.cell(QUICKEST, Figure::Failures).and_then(|cell| cell.value), Some(2.0));
}

/// The row's latencies would be those of a queue that grows for as long as a slice lasts.
#[test]
fn a_row_without_latencies_in_the_table_has_no_curve() {
    let mut record = three();
    for slice in record.blocks.iter_mut().flat_map(|block| &mut block.rows[QUICKEST].open) {
        slice.completed /= 2;
        slice.tenths.iter_mut().for_each(|answered| *answered /= 2);
    }
    let analysis = analyse(&record);
    assert_eq!(analysis.cell(QUICKEST, Figure::P50).and_then(|cell| cell.value), None);
    let page = read(&html::render(&record, &analysis));
    let curves = page.lines().find(|line| line.starts_with("[Latency by percentile")).unwrap();
    assert!(curves.contains("2:core: median") && !curves.contains("3:native"), "{curves}");
}

/// Whether there is a warning if others use `other` processors and the server `own`, on a machine with `processors`.
fn disturbed(processors: f64, own: f64, other: f64) -> bool {
    let mut record = three();
    record.provenance.environment.processors = processors;
    for slice in record.blocks.iter_mut().flat_map(|block| &mut block.rows).flat_map(|row| &mut row.closed) {
        let microseconds = (slice.seconds + slice.drain_seconds) * 1e6;
        slice.server_cpu = Some(own * microseconds);
        slice.generator_cpu = 0.0;
        slice.other_cpu = Some(other * microseconds);
    }
    analyse(&record).warnings.iter().any(|warning| warning.starts_with("other processes used"))
}

/// Further processors do not help a server that runs on one, and a server that uses many loses little to a small
/// program.
#[test]
fn other_programs_count_by_what_slices_can_lose_to_them() {
    assert!(disturbed(64.0, 1.0, 0.2) && disturbed(2.0, 1.0, 0.2) && disturbed(2.0, 2.0, 0.4));
    assert!(!disturbed(64.0, 60.0, 1.0) && !disturbed(2.0, 2.0, 0.2));
    // A server that waits can lose almost nothing.
    assert!(!disturbed(2.0, 0.01, 0.1));
}

#[test]
fn resent_requests_are_reported() {
    let mut record = three();
    let warned = |record: &Record| analyse(record).warnings.iter().any(|warning| warning.contains("were resent"));
    assert!(!warned(&record));
    record.blocks[0].rows[1].open[0].resent = 3;
    assert!(warned(&record));
    assert!(!analyse(&record).rows[1].failed());
}

/// How many whole waves of answers are in a slice depends on where it happens to end.
#[test]
fn throughput_equals_that_of_a_longer_slice() {
    let mut record = three();
    for slice in record.blocks.iter_mut().flat_map(|block| &mut block.rows[1].closed) {
        slice.steady = Some(1234.0);
    }
    let throughput = analyse(&record).cell(1, Figure::Throughput).and_then(|cell| cell.value).unwrap();
    assert!((throughput - 1234.0).abs() < 1e-6, "{throughput}");
}

/// Costs and rates are above 0, and so is every value in their intervals.
#[test]
fn no_interval_of_a_figure_reaches_below_zero() {
    let mut record = three();
    for (number, block) in record.blocks.iter_mut().enumerate() {
        for slice in &mut block.rows[1].closed {
            let factor = [1.0, 1.2, 9.0, 1.1, 0.9][number];
            slice.server_cpu = slice.server_cpu.map(|spent| spent * factor);
            slice.steady = Some(300.0 * factor);
        }
    }
    let analysis = analyse(&record);
    for figure in [Figure::CpuPerRequest, Figure::Throughput] {
        let cell = analysis.cell(1, figure).unwrap();
        let ((low, high), value) = (cell.interval.unwrap(), cell.value.unwrap());
        assert!(0.0 < low && low < value && value < high, "{figure:?}: {value} in {low} to {high}");
    }
}

/// An interval from a thousandth to a thousand times carries no information, so it is not shown as a result.
#[test]
fn an_interval_without_information_is_not_shown() {
    let mut record = three();
    for (number, block) in record.blocks.iter_mut().enumerate() {
        let factor = [1.0, 300.0, 0.01, 40.0, 0.002][number];
        for slice in &mut block.rows[1].closed {
            slice.server_cpu = slice.server_cpu.map(|spent| spent * factor);
        }
    }
    let analysis = analyse(&record);
    let sentence = &analysis.groups[0].verdicts[0].text;
    assert!(sentence.contains("times less [cannot tell]"), "{sentence}");
    let report = markdown::render(&record, &analysis);
    assert!(report.contains("<sub>[cannot tell]</sub>") && !report.contains(">1,000"), "{report}");
}

/// Records of older versions lack these fields.
#[test]
fn a_record_without_later_fields_can_be_read() {
    let mut written = serde_json::to_value(three()).unwrap();
    let row = &mut written["blocks"][0]["rows"][1];
    row.as_object_mut().unwrap().remove("unmeasured_failures").unwrap();
    let slice = row["closed"][0].as_object_mut().unwrap();
    slice.remove("resent").unwrap();
    slice.remove("steady").unwrap();
    assert_eq!(serde_json::from_value::<Record>(written).unwrap(), three());
}

/// The server's share is unknown, but the processors were used up, and the generator used most of them.
#[test]
fn a_generator_that_uses_the_whole_machine_is_found_beside_an_unknown_server() {
    let marks = |share_of_generator: f64| {
        let mut record = three();
        let processors = record.provenance.environment.processors;
        for slice in record.blocks.iter_mut().flat_map(|block| &mut block.rows[QUICKEST].closed) {
            let all = (slice.seconds + slice.drain_seconds) * processors * 0.98e6;
            (slice.server_cpu, slice.other_cpu) = (None, None);
            (slice.machine_cpu, slice.generator_cpu) = (Some(all), all * share_of_generator);
        }
        analyse(&record).rows[QUICKEST].marks.clone()
    };
    assert!(marks(0.7).contains(&"generator-bound".to_owned()), "{:?}", marks(0.7));
    assert!(!marks(0.3).contains(&"generator-bound".to_owned()), "{:?}", marks(0.3));
}
