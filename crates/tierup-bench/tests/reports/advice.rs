//! The recommendation compares what a step saves at the user's traffic with what it costs.

use tierup_bench::{
    analysis::analyse,
    record::{Record, Role},
};

use crate::sample::{self, server};

/// A row for each speed: the reference, two tiers that save nearly everything, and a server that saves the rest.
fn ladder() -> Record {
    let row = |label: &str, role, speed: f64| server(label, role, [500.0 * speed, 10.0 / speed, 512.0, 50.0]);
    let rows = [
        row("0", Role::Reference, 1.0),
        row("1:pool", Role::Candidate, 2.5),
        row("2:core", Role::Candidate, 80.0),
        row("4:server", Role::Candidate, 160.0),
    ];
    sample::run(&rows, 5).0
}

/// `Take 2:core`
fn advice(record: &Record) -> String {
    let text = analyse(record).groups[0].recommendation.clone().unwrap_or_default();
    text.split(": ").next().unwrap_or_default().to_owned()
}

#[test]
fn a_step_is_taken_if_it_saves_more_than_its_price_at_the_traffic() {
    let mut record = ladder();
    assert_eq!(advice(&record), "Take 2:core");
    // A step that costs more than all of tier 0 is not taken.
    record.settings.step_cores = 2.0;
    assert_eq!(advice(&record), "Stay at 0");
    // At a hundred times the traffic, the same price is low.
    record.settings.cost = Some(sample_prices(50_000.0));
    assert_eq!(advice(&record), "Take 2:core");
}

/// The step saves half of the last 1 %, and on one machine of three it was once advised.
#[test]
fn a_step_that_saves_less_than_2_percent_of_tier_0_is_never_advised() {
    let mut record = ladder();
    record.settings.step_cores = 0.0;
    record.settings.cost = Some(sample_prices(1e9));
    assert_eq!(advice(&record), "Take 2:core");
}

/// Another implementation may have thousands of lines, whose cost no step includes.
#[test]
fn another_implementation_is_measured_and_never_recommended() {
    let row = |label: &str, role, speed: f64| server(label, role, [500.0 * speed, 10.0 / speed, 512.0, 50.0]);
    let rows = [
        row("0", Role::Reference, 1.0),
        row("3:native", Role::Candidate, 20.0),
        row("3:native#by-hand", Role::Implementation, 160.0),
    ];
    assert_eq!(advice(&sample::run(&rows, 5).0), "Take 3:native");
    assert_eq!(advice(&sample::run(&rows[..2], 5).0), "Take 3:native");
}

/// The CPU of these blocks varies by several per cent, and they are drawn with replacement.
#[test]
fn the_advice_is_the_same_in_95_of_100_resampled_runs() {
    let mut record = ladder();
    let mut state = 7_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    for slice in record.blocks.iter_mut().flat_map(|block| &mut block.rows).flat_map(|row| &mut row.closed) {
        let noise = 0.9 + 0.2 * (draw() % 1000) as f64 / 1000.0;
        slice.server_cpu = slice.server_cpu.map(|spent| spent * noise);
    }
    let first = advice(&record);
    let same = (0..100).filter(|_| {
        let mut run = record.clone();
        for block in &mut run.blocks {
            *block = record.blocks[draw() % record.blocks.len()].clone();
        }
        advice(&run) == first
    });
    let same = same.count();
    assert!(same >= 95, "{first} in {same} of 100");
}

fn sample_prices(peak: f64) -> tierup_bench::record::Cost {
    tierup_bench::record::Cost {
        peak,
        vcpu_hour: 0.04,
        gib_hour: 0.005,
        currency: "EUR".to_owned(),
        utilisation: 0.6,
        pod_vcpus: 1.0,
        pod_gib: 2.0,
        least_pods: 2,
    }
}
