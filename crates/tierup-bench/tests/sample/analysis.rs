//! The analysis of a sample's run: the figures given to its rows, their ratios, and intervals of a known width.

use tierup_bench::{
    analysis::{Analysis, Better, Cell, Column, Figure, Group, RowAnalysis, Sentence, Verdict},
    record::{Failures, Role},
};

use super::{
    Server,
    record::{check, drift, trouble},
};

const COLUMNS: [(Figure, &str, &str, &str, Better); 9] = [
    (Figure::CpuPerRequest, "CPU per request", "us", "/proc, closed loop", Better::Lower),
    (Figure::Throughput, "throughput", "req/s", "closed loop, 64 connections", Better::Higher),
    (Figure::P99, "p99", "ms", "open loop, 350 req/s", Better::Lower),
    (Figure::ResponseBytes, "average response", "bytes", "closed loop, 64 connections", Better::Lower),
    (Figure::Memory, "memory", "bytes", "/proc, PSS at its peak", Better::Lower),
    (Figure::AverageLatency, "average latency", "ms", "open loop, 350 req/s", Better::Lower),
    (Figure::P50, "p50", "ms", "open loop, 350 req/s", Better::Lower),
    (Figure::P95, "p95", "ms", "open loop, 350 req/s", Better::Lower),
    (Figure::Failures, "failures", "requests", "both loops", Better::Lower),
];

fn value(server: &Server, figure: Figure) -> f64 {
    match figure {
        Figure::Throughput => server.throughput,
        Figure::AverageLatency => server.latency * 1.2,
        Figure::P50 => server.latency,
        Figure::P95 => server.latency * 2.1,
        Figure::P99 => server.latency * 3.6,
        Figure::ResponseBytes => server.body,
        Figure::Memory => server.memory * 1_048_576.0,
        Figure::CpuPerRequest => 1.9e6 / server.throughput,
        Figure::Failures => 0.0,
    }
}

pub(super) fn analysis(servers: &[Server], blocks: usize) -> Analysis {
    let columns =
        COLUMNS.map(|(figure, title, unit, from, better)| Column { figure, title, unit, from: from.into(), better });
    let mut names: Vec<_> = servers.iter().map(|server| server.group).collect();
    names.dedup();
    let groups: Vec<_> = names.iter().map(|name| group(servers, name)).collect();
    let rows = servers.iter().enumerate().map(|(index, server)| {
        let group = groups.iter().find(|group| group.rows.contains(&index)).expect("each row has its group");
        row_analysis(servers, index, group.reference, server, blocks)
    });
    let rows = rows.collect();
    Analysis {
        groups,
        rows,
        columns: columns.to_vec(),
        warnings: vec!["Another program kept 0.6 of 2 processors busy: figures may be too low.".into()],
        method: vec!["95 % intervals over blocks by Student's t, corrected for five comparisons.".into()],
    }
}

fn group(servers: &[Server], name: &str) -> Group {
    let rows: Vec<_> = (0..servers.len()).filter(|row| servers[*row].group == name).collect();
    let reference = rows.iter().copied().find(|row| servers[*row].role == Role::Reference).unwrap_or(rows[0]);
    let verdicts = rows.iter().filter(|row| **row != reference).map(|row| {
        let label = format!("{} {}", servers[*row].group, servers[*row].label);
        let (label, ratio) = (label.trim(), servers[*row].throughput / servers[reference].throughput);
        let (verdict, text) = match (servers[*row].fails, ratio) {
            (true, _) => (Verdict::Failed, format!("{label} failed: it did not answer within 30 s.")),
            _ if servers[*row].role == Role::Ceiling => {
                (Verdict::Pays, format!("{label} is the ceiling: {ratio:.1}x."))
            }
            (_, 1.05..) => (Verdict::Pays, format!("{label} pays: {ratio:.1}x the throughput, 0.24x the bytes.")),
            (_, 0.96..) => (Verdict::NoDifference, format!("{label} makes no difference: {ratio:.2}x the throughput.")),
            _ => (Verdict::DoesNotPay, format!("{label} does not pay: {ratio:.2}x the throughput.")),
        };
        Sentence { row: *row, verdict, text }
    });
    let verdicts: Vec<_> = verdicts.collect();
    let best = verdicts
        .iter()
        .filter(|sentence| sentence.verdict == Verdict::Pays && servers[sentence.row].role != Role::Ceiling)
        .map(|sentence| sentence.row)
        .next_back();
    let recommendation = best.map(|row| {
        let label = &servers[row].label;
        format!("Take {label}: it reaches 52 % of the ceiling. 4:server was not measured, so what it would add is not known.")
    });
    Group { name: name.to_owned(), rows, reference, verdicts, recommendation, gain: None }
}

fn row_analysis(servers: &[Server], index: usize, reference: usize, server: &Server, blocks: usize) -> RowAnalysis {
    let rivals =
        || servers.iter().filter(|rival| rival.group == server.group && !rival.fails && rival.role != Role::Ceiling);
    let cell = |(figure, _, _, _, better): &(Figure, &str, &str, &str, Better)| {
        if server.fails {
            return Cell { blocks: vec![None; blocks], ..Cell::default() };
        }
        let own = value(server, *figure);
        let ratio = own / value(&servers[reference], *figure);
        let spread = match figure {
            Figure::CpuPerRequest => 1.02,
            Figure::ResponseBytes => 1.0,
            _ => 1.04,
        };
        let compared = index != reference && *figure != Figure::Failures && ratio.is_finite();
        let bests = rivals().map(|rival| value(rival, *figure));
        let best = match better {
            Better::Higher => bests.fold(f64::MIN, f64::max),
            Better::Lower => bests.fold(f64::MAX, f64::min),
        };
        let mine = server.role != Role::Ceiling && own == best && *figure != Figure::Failures && rivals().count() > 1;
        Cell {
            value: Some(own),
            interval: (blocks > 1).then_some((own / spread, own * spread)),
            ratio: compared.then_some(ratio),
            ratio_interval: (compared && blocks > 1).then_some((ratio / spread, ratio * spread)),
            finding: None,
            of_first: None,
            of_first_interval: None,
            best: mine,
            blocks: (0..blocks).map(|block| Some(own * drift(block, 1))).collect(),
        }
    };
    let ceiling = servers.iter().find(|rival| rival.group == server.group && rival.role == Role::Ceiling);
    let share = ceiling.filter(|_| !server.fails).map(|ceiling| server.throughput / ceiling.throughput);
    RowAnalysis {
        label: server.label.clone(),
        group: server.group.to_owned(),
        role: server.role,
        check: check(server),
        cells: COLUMNS.iter().map(cell).collect(),
        marks: if server.label == "1:spawn" {
            vec!["unsteady".into(), "cannot carry 350 req/s".into()]
        } else {
            Vec::new()
        },
        failures: Failures::default(),
        troubles: if server.fails { vec![trouble()] } else { Vec::new() },
        share_of_ceiling: share,
        against: None,
        cost: None,
        kept: None,
    }
}
