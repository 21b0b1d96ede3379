//! Several hosts in one run: each row is compared with its own host's reference, and with the first host's.

use expect_test::expect;
use tierup_bench::{
    analysis::{Analysis, Figure, analyse},
    record::{Record, Role},
    report::{html, markdown, text},
};
use tierup_report::text::{Colour, Style};

use crate::sample::{self, Server, server};

/// A second host that is three times as slow at tier 0, and gains less from native code.
fn run() -> (Record, Analysis) {
    let of = |group: &'static str, speed: f64, native: f64| {
        let rows =
            [("0", Role::Reference, 1.0), ("0:free", Role::Ceiling, 40.0), ("3:native", Role::Candidate, native)];
        rows.map(|(label, role, factor)| Server {
            group,
            ..server(label, role, [500.0 * speed * factor, 12.0 / factor, 512.0, 60.0])
        })
    };
    let servers = [of("node", 1.0, 20.0), of("python", 1.0 / 3.0, 12.0)].concat();
    let (record, _) = sample::run(&servers, 5);
    let analysis = analyse(&record);
    (record, analysis)
}

/// For each row, its ratio to its own reference and to the first one, as `40 40`.
fn ratios(analysis: &Analysis, figure: Figure) -> Vec<String> {
    let cells = (0..analysis.rows.len()).filter_map(|row| analysis.cell(row, figure));
    let words = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
    cells.map(|cell| format!("{} {}", words(cell.ratio), words(cell.of_first))).collect()
}

#[test]
fn ratios_are_to_the_own_reference_and_to_the_first() {
    let (_, analysis) = run();
    let check = |figure, expected: [&str; 6]| assert_eq!(ratios(&analysis, figure), expected);
    check(Figure::Throughput, ["- -", "40.02 40.02", "20.01 20.01", "- 0.33", "40.06 13.34", "12.02 4.00"]);
    check(Figure::CpuPerRequest, ["- -", "0.03 0.03", "0.05 0.05", "- 2.98", "0.03 0.08", "0.08 0.25"]);
    // Latency and memory are not compared between hosts, as the servers are different programs.
    check(Figure::Memory, ["- -", "1.00 -", "1.00 -", "- -", "1.00 -", "1.00 -"]);
    // A single group is not compared with another one.
    let alone = analyse(&sample::run(&sample::servers(), 5).0);
    assert!(alone.rows.iter().flat_map(|row| &row.cells).all(|cell| cell.of_first.is_none()));
}

#[test]
fn verdicts_name_their_group_and_each_group_has_its_recommendation() {
    let (_, analysis) = run();
    let mut lines = Vec::new();
    for group in &analysis.groups {
        lines.extend(group.verdicts.iter().map(|sentence| sentence.text.clone()));
        lines.extend(group.recommendation.iter().map(|text| format!("{} => {text}", group.name)));
    }
    expect![[r#"
        node 0:free is the ceiling, the limit for any rewrite of the function in this server: a request costs 47 us of CPU instead of 1,890: 40 times less [40, 40]; 40 times the throughput of 0 [40, 40]
        node 3:native pays: a request costs 95 us of CPU instead of 1,890: 20 times less [20, 20]; 20 times the throughput of 0 [20, 20]
        node => Take 3:native: a request costs 95 us of CPU instead of 1,890: 20 times less; 20 times the throughput of 0; a function that cost nothing would give 40. At 501 req/s, the most that 0 carried here, it needs 0.047 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`).
        python 0:free is the ceiling, the limit for any rewrite of the function in this server: a request costs 142 us of CPU instead of 5,640: 40 times less [40, 40]; 40 times the throughput of 0 [40, 40]
        python 3:native pays: a request costs 473 us of CPU instead of 5,640: 12 times less [12, 12]; 12 times the throughput of 0 [12, 12]
        python => Take 3:native: a request costs 473 us of CPU instead of 5,640: 12 times less; 12 times the throughput of 0; a function that cost nothing would give 40. At 167 req/s, the most that 0 carried here, it needs 0.079 cores instead of 0.94; each step is taken to cost 0.05 cores (`step_cores`)."#]].assert_eq(&lines.join("\n"));
}

/// The lines from one that begins with `from` up to the next one that begins with `to`.
fn part(report: &str, from: &str, to: &str) -> String {
    let lines = report.lines().skip_while(|line| !line.starts_with(from));
    lines.take_while(|line| !line.starts_with(to)).map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn text_has_one_table_of_all() {
    let (record, analysis) = run();
    let report = text::render(&record, &analysis, Style { width: Some(120), colour: Colour::Plain });
    expect![[r#"
        all groups
                             CPU per request, us      times node 0             throughput, req/s       times node 0
                              /proc, closed loop   CPU per request   closed loop, 64 connections         throughput
        ───────────────────────────────────────────────────────────────────────────────────────────────────────────
        node 0            1,890      1.00x                   1.00x               501 1.00x                    1.00x
        node 0:free        47.4 39.9x less              39.9x less            20,100 40.0x                    40.0x
        node 3:native      94.7 20.0x less              20.0x less            10,000 20.0x                    20.0x
        python 0          5,640      1.00x             2.98x ±0.1%               167 1.00x         3.00x less ±0.1%
        python 0:free       142 39.7x less ±0.1%        13.3x less             6,690 40.1x ±0.1%              13.3x
        python 3:native     473 11.9x less ±0.1%        3.99x less             2,010 12.0x ±0.1%              4.00x

        1.00x is each group's own reference; columns with its name in the head compare with node 0.
    "#]]
    .assert_eq(&part(&report, "all groups", "5 blocks"));
    assert!(part(&report, "=> ", "\0").contains("=> python: "), "{report}");
}

#[test]
fn markdown_has_one_table_of_all() {
    let (record, analysis) = run();
    expect![[r#"
        ## All groups

        |  | CPU per request, us<br><sub>/proc, closed loop</sub> | times node 0<br><sub>CPU per request</sub> | throughput, req/s<br><sub>closed loop, 64 connections</sub> | times node 0<br><sub>throughput</sub> |
        | :-- | --: | --: | --: | --: |
        | `node 0` | 1,890<br>1.00x | 1.00x | 501<br>1.00x | 1.00x |
        | `node 0:free` | 47.4<br>39.9x less | 39.9x less | 20,100<br>40.0x | 40.0x |
        | `node 3:native` | 94.7<br>20.0x less | 20.0x less | 10,000<br>20.0x | 20.0x |
        | `python 0` | 5,640<br>1.00x | 2.98x ±0.1% | 167<br>1.00x | 3.00x less ±0.1% |
        | `python 0:free` | 142<br>39.7x less <sub>±0.1%</sub> | 13.3x less | 6,690<br>40.1x <sub>±0.1%</sub> | 13.3x |
        | `python 3:native` | 473<br>11.9x less <sub>±0.1%</sub> | 3.99x less | 2,010<br>12.0x <sub>±0.1%</sub> | 4.00x |

        1.00x is each group's own reference; columns with its name in the head compare with node 0.

    "#]].assert_eq(&part(&markdown::render(&record, &analysis), "## All groups", "## Environment"));
}

#[test]
fn html_has_one_table_of_all() {
    let (record, analysis) = run();
    let texts = crate::page::read(&html::render(&record, &analysis));
    let table = texts.split("All groups\n").nth(1).unwrap().split("\nnode\n").next().unwrap();
    assert_eq!(table.matches("times node 0").count(), 2, "{table}");
    expect![[r#"
        python 3:native
        pays
        473
        11.9x less
        ±0.1%
        the best
        2,010
        12.0x
        ±0.1%
        the best
        3.63
        12.0x less
        the best
        512 B
        1.01x
        60.0 MiB
        1.00x
        1.16
        12.0x less
        the best
        1.00
        12.0x less
        the best
        2.13
        12.0x less
        the best
        0
        30 %
        3.99x less
        4.00x
    "#]]
    .assert_eq(&part(table, "python 3:native", "\0"));
}
