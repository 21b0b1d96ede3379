//! The raw results of a sample's run: every slice of every row, drifting by a known two per cent.

use std::time::Duration;

use tierup_bench::{
    histogram::Latencies,
    record::{
        Block, BlockRow, Busyness, Check, Environment, FORMAT, Failures, Memory, MemorySample, Provenance, RateFrom,
        Record, Requests, Role, RowRecord, Settings, Slice, Trouble,
    },
};

use super::Server;

const SLICES: usize = 3;

/// The known drift of the figures over blocks and slices.
pub(super) fn drift(block: usize, slice: usize) -> f64 {
    1.0 + 0.02 * (block as f64 * 1.7 + slice as f64).sin()
}

pub(super) fn record(servers: &[Server], blocks: usize) -> Record {
    let row = |server: &Server| RowRecord {
        label: server.label.clone(),
        group: server.group.to_owned(),
        role: server.role,
        step: server.label.chars().next().and_then(|digit| digit.to_digit(10)).unwrap_or(0) as u8,
        change: None,
        check: check(server),
    };
    Record {
        format: FORMAT,
        provenance: Provenance {
            tierup: "0.1.0".into(),
            title: "thumbnails".into(),
            command: "tierup bench thumbnails --tiers all".into(),
            began: "2026-11-21T09:44:34Z".into(),
            seconds: 432.2,
            environment: Environment {
                processor: "AMD EPYC 7763".into(),
                processors: 2.0,
                memory: 24 << 30,
                kernel: "Linux 6.1.0".into(),
                versions: vec![("node".into(), "20.20.2".into()), ("rustc".into(), "1.95.0".into())],
                before: Busyness { others: 0.04, stolen: 0.0, load: 0.31 },
                after: Busyness { others: 0.06, stolen: 0.01, load: 1.72 },
                lacks: Vec::new(),
            },
            estimates: Vec::new(),
            interrupted: false,
        },
        settings: Settings {
            seed: 20_261_121,
            blocks,
            connections: 64,
            workers: 2,
            rate: Some(350.0),
            rate_from: RateFrom::ShareOfReference(0.7),
            closed_seconds: 2.0,
            open_seconds: 2.0,
            timeout_seconds: 10.0,
            server_processors: None,
            generator_processors: None,
            threshold: 1.05,
            step_cores: 0.05,
            quick: false,
            cost: None,
        },
        requests: Requests { source: "requests.http".into(), distinct: 1000, refused: 2, ..Requests::default() },
        rows: servers.iter().map(row).collect(),
        blocks: (0..blocks).map(|block| Block { rows: measured_rows(servers, block) }).collect(),
    }
}

pub(super) fn check(server: &Server) -> Check {
    match (server.role, server.fails) {
        (_, true) => Check::Failed { trouble: trouble() },
        (Role::Reference, _) => Check::Alone,
        _ => Check::Same { compared: 1000, how: "pixels of the image".into() },
    }
}

pub(super) fn trouble() -> Trouble {
    Trouble {
        what: "it did not answer within 30 s".into(),
        log: vec!["listening on 0.0.0.0:8080".into(), "thread 'main' panicked: port 8080 is taken".into()],
    }
}

fn measured_rows(servers: &[Server], block: usize) -> Vec<BlockRow> {
    let row = |(index, server): (usize, &Server)| {
        if server.fails {
            return BlockRow { trouble: Some(trouble()), ..BlockRow::default() };
        }
        let at =
            |slice: usize, which: usize| (((block * SLICES + slice) * 2 + which) * servers.len() + index) as f64 * 2.2;
        let sample = |share: f64| MemorySample {
            proportional: Some((server.memory * share * 1_048_576.0) as u64),
            resident: (server.memory * share * 1.1 * 1_048_576.0) as u64,
            processes: 1,
            threads: 8,
        };
        BlockRow {
            start_seconds: Some(0.3),
            closed: (0..SLICES).map(|slice| measured(server, at(slice, 0), drift(block, slice), None)).collect(),
            open: (0..SLICES).map(|slice| measured(server, at(slice, 1), drift(block, slice), Some(350.0))).collect(),
            memory: Some(Memory { idle: sample(0.4), peak: sample(1.0), end: sample(0.9) }),
            ..BlockRow::default()
        }
    };
    servers.iter().enumerate().map(row).collect()
}

fn measured(server: &Server, at: f64, drift: f64, rate: Option<f64>) -> Slice {
    let completed = (rate.unwrap_or(server.throughput * drift) * 2.0) as u64;
    let mut latencies = Latencies::default();
    for index in 0..700_u32 {
        // The quantiles of a distribution with a long tail: the median times (share / (1 - share)) ^ 0.4.
        let share = (f64::from(index) + 0.5) / 700.0;
        latencies.record(Duration::from_secs_f64(
            server.latency * drift / 1e3 * (0.5 + (share / (1.0 - share)).powf(0.4) / 2.0),
        ));
    }
    let resident = |sample: u32| {
        let share = 0.8 + 0.2 * (at / 90.0).min(1.0) + 0.01 * f64::from(sample % 3);
        (sample as f32 * 0.5, (server.memory * share * 1_048_576.0) as u64)
    };
    Slice {
        at,
        seconds: 2.0,
        completed,
        steady: None,
        answered: completed + 3,
        body_bytes: (completed as f64 * server.body) as u64,
        failures: Failures::default(),
        unsent: 0,
        resent: 0,
        drain_seconds: 0.01,
        tenths: vec![(completed / 10) as u32; 10],
        latencies,
        lags: None,
        server_cpu: Some(1.9e6),
        generator_cpu: 0.3e6,
        generator_busiest: 0.2,
        other_cpu: Some(0.01e6),
        machine_cpu: None,
        resident: (0..4).map(resident).collect(),
    }
}
