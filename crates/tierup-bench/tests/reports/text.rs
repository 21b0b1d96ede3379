//! The report for terminals.

use expect_test::expect;
use tierup_bench::report::text::render;
use tierup_report::text::{Colour, Style};

use crate::sample::{self, Server};

pub(crate) const WIDE: Style = Style { width: Some(120), colour: Colour::Plain };

#[test]
fn a_run() {
    let (record, analysis) = sample::run(&sample::servers(), 3);
    expect![[r#"
        thumbnails 2026-11-21 09:44 UTC
        6 rows, 3 blocks, 7 min 12 s
        AMD EPYC 7763 (may use 2 processors), Linux 6.1.0, node 20.20.2, rustc 1.95.0

                         throughput,    average latency,               p99,   average response               memory
                               req/s                  ms                 ms       closed loop,               /proc,
                        closed loop,          open loop,         open loop,     64 connections      PSS at its peak
                      64 connections           350 req/s          350 req/s
        ───────────────────────────────────────────────────────────────────────────────────────────────────────────
        0             504  1.00x        14.5   1.00x       43.6   1.00x         1,583 B  1.00x   318 MiB  1.00x
        0:free     26,100  51.9x ±4%   0.852  0.059x ±4%   2.56  0.059x ±4%     1,583 B  1.00x   301 MiB  0.95x ±4%
        1:spawn       391  0.78x ±4%    19.7   1.36x ±4%   59.0   1.36x ±4%       373 B* 0.24x   251 MiB* 0.79x ±4%
        2:core      9,710  19.3x ±4%    1.22  0.084x ±4%   3.67  0.084x ±4%       373 B* 0.24x   266 MiB  0.84x ±4%
        3:native   13,600* 27.1x ±4%    1.06* 0.073x ±4%   3.17* 0.073x ±4%       373 B* 0.24x   262 MiB  0.82x ±4%
        4:server        –                  –                  –                       –                –

                                p50, ms                p95, ms                  CPU per request, us     failures   of ceiling
                   open loop, 350 req/s   open loop, 350 req/s   /proc, closed loop, 64 connections   both loops   throughput
        ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        0              12.1   1.00x           25.4   1.00x                        3,770   1.00x                0          2 %
        0:free        0.710  0.059x ±4%       1.49  0.059x ±4%                     72.7  0.019x ±2%            0        100 %
        1:spawn        16.4   1.36x ±4%       34.4   1.36x ±4%                    4,860   1.29x ±2%            0          1 %
        2:core         1.02  0.084x ±4%       2.14  0.084x ±4%                      196  0.052x ±2%            0         37 %
        3:native      0.880* 0.073x ±4%       1.85* 0.073x ±4%                      139* 0.037x ±2%            0         52 %
        4:server          –                      –                                    –                        –            –

        ~ 1:spawn: unsteady, cannot carry 350 req/s
        * the best of its column; 1.00x is the row 0
        95 % intervals over blocks by Student's t, corrected for five comparisons.

        ! Another program kept 0.6 of 2 processors busy: figures may be too low.

        ^ 0:free is the ceiling: 51.9x.
        - 1:spawn does not pay: 0.78x the throughput.
        + 2:core pays: 19.3x the throughput, 0.24x the bytes.
        + 3:native pays: 27.1x the throughput, 0.24x the bytes.
        x 4:server failed: it did not answer within 30 s.

        => Take 3:native: it reaches 52 % of the ceiling. 4:server was not measured, so what it would add is not known.

        x 4:server: it did not answer within 30 s
          | listening on 0.0.0.0:8080
          | thread 'main' panicked: port 8080 is taken
    "#]].assert_eq(&render(&record, &analysis, WIDE));
}

#[test]
fn a_run_in_80_characters() {
    let (record, analysis) = sample::run(&sample::servers()[..3], 3);
    expect![[r#"
        thumbnails 2026-11-21 09:44 UTC
        3 rows, 3 blocks, 7 min 12 s
        AMD EPYC 7763 (may use 2 processors), Linux 6.1.0, node 20.20.2, rustc 1.95.0

                  throughput,    average     p99,       average     memory
                        req/s   latency,       ms      response     /proc,
                       closed         ms     open        closed     PSS at
                        loop,       open    loop,         loop,   its peak
                           64      loop,      350            64
                  connections        350    req/s   connections
                                   req/s
        ──────────────────────────────────────────────────────────────────
        0                504*      14.5*    43.6*      1,583 B    318 MiB
                        1.00x      1.00x    1.00x         1.00x      1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free        26,100      0.852     2.56       1,583 B    301 MiB
                        51.9x     0.059x   0.059x         1.00x      0.95x
                          ±4%        ±4%      ±4%                      ±4%
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        1:spawn          391       19.7     59.0         373 B*   251 MiB*
                        0.78x      1.36x    1.36x         0.24x      0.79x
                          ±4%        ±4%      ±4%                      ±4%

                        p50,         p95,   CPU per request,     failures   of ceiling
                          ms           ms                 us   both loops   throughput
                  open loop,   open loop,             /proc,
                   350 req/s    350 req/s       closed loop,
                                              64 connections
        ──────────────────────────────────────────────────────────────────────────────
        0              12.1*        25.4*             3,770*            0          2 %
                       1.00x        1.00x              1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free        0.710         1.49               72.7             0        100 %
                  0.059x ±4%   0.059x ±4%         0.019x ±2%
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        1:spawn        16.4         34.4              4,860             0          1 %
                   1.36x ±4%    1.36x ±4%          1.29x ±2%

        ~ 1:spawn: unsteady, cannot carry 350 req/s
        * the best of its column; 1.00x is the row 0
        95 % intervals over blocks by Student's t, corrected for five comparisons.

        ! Another program kept 0.6 of 2 processors busy: figures may be too low.

        ^ 0:free is the ceiling: 51.9x.
        - 1:spawn does not pay: 0.78x the throughput.
    "#]]
    .assert_eq(&render(&record, &analysis, Style { width: Some(80), ..WIDE }));
}

#[test]
fn a_run_in_40_characters() {
    let (record, analysis) = sample::run(&sample::servers()[..2], 3);
    expect![[r#"
        thumbnails 2026-11-21 09:44 UTC
        2 rows, 3 blocks, 7 min 12 s
        AMD EPYC 7763 (may use 2 processors),
        Linux 6.1.0, node 20.20.2, rustc 1.95.0

                 throughput,    average     p99,
                       req/s   latency,       ms
                      closed         ms     open
                       loop,       open    loop,
                          64      loop,      350
                 connections        350    req/s
                                  req/s
        ────────────────────────────────────────
        0                504       14.5     43.6
                       1.00x      1.00x    1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free        26,100      0.852     2.56
                       51.9x     0.059x   0.059x
                         ±4%        ±4%      ±4%

                     average    memory
                    response    /proc,
                      closed    PSS at
                       loop,       its
                          64      peak
                 connections
        ──────────────────────────────
        0            1,583 B   318 MiB
                       1.00x     1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free       1,583 B   301 MiB
                       1.00x     0.95x
                                   ±4%

                   p50,     p95,       CPU per
                     ms       ms      request,
                   open     open            us
                  loop,    loop,        /proc,
                    350      350        closed
                  req/s    req/s         loop,
                                            64
                                   connections
        ──────────────────────────────────────
        0          12.1     25.4         3,770
                  1.00x    1.00x         1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free    0.710     1.49          72.7
                 0.059x   0.059x        0.019x
                    ±4%      ±4%           ±2%

                 failures   of ceiling
                     both   throughput
                    loops
        ──────────────────────────────
        0               0          2 %
        0:free          0        100 %

        95 % intervals over blocks by Student's
        t, corrected for five comparisons.

        ! Another program kept 0.6 of 2
          processors busy: figures may be too
          low.

        ^ 0:free is the ceiling: 51.9x.
    "#]]
    .assert_eq(&render(&record, &analysis, Style { width: Some(40), ..WIDE }));
}

#[test]
fn groups_of_one_block_are_without_intervals() {
    let (mut record, analysis) = sample::run(&sample::two_hosts(), 1);
    record.settings.blocks = 5;
    record.provenance.interrupted = true;
    expect![[r#"
        thumbnails 2026-11-21 09:44 UTC
        12 rows, 1 of 5 blocks, 7 min 12 s
        AMD EPYC 7763 (may use 2 processors), Linux 6.1.0, node 20.20.2, rustc 1.95.0

        node
                      throughput,   average latency,           p99,   average response            memory
                            req/s                 ms             ms       closed loop,            /proc,
                     closed loop,         open loop,     open loop,     64 connections   PSS at its peak
                   64 connections          350 req/s      350 req/s
        ────────────────────────────────────────────────────────────────────────────────────────────────
        0              504  1.00x       14.5   1.00x   43.6   1.00x     1,583 B  1.00x    318 MiB  1.00x
        0:free      26,100  51.9x      0.852  0.059x   2.56  0.059x     1,583 B  1.00x    301 MiB  0.95x
        1:spawn        391  0.78x       19.7   1.36x   59.0   1.36x       373 B* 0.24x    251 MiB* 0.79x
        2:core       9,710  19.3x       1.22  0.084x   3.67  0.084x       373 B* 0.24x    266 MiB  0.84x
        3:native    13,600* 27.1x       1.06* 0.073x   3.17* 0.073x       373 B* 0.24x    262 MiB  0.82x
        4:server         –                 –              –                   –                 –

                                p50, ms                p95, ms                  CPU per request, us     failures   of ceiling
                   open loop, 350 req/s   open loop, 350 req/s   /proc, closed loop, 64 connections   both loops   throughput
        ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        0                  12.1   1.00x           25.4   1.00x                        3,770   1.00x            0          2 %
        0:free            0.710  0.059x           1.49  0.059x                         72.7  0.019x            0        100 %
        1:spawn            16.4   1.36x           34.4   1.36x                        4,860   1.29x            0          1 %
        2:core             1.02  0.084x           2.14  0.084x                          196  0.052x            0         37 %
        3:native          0.880* 0.073x           1.85* 0.073x                          139* 0.037x            0         52 %
        4:server              –                      –                                    –                    –            –

        ~ 1:spawn: unsteady, cannot carry 350 req/s
        * the best of its column; 1.00x is the row 0

        python
                      throughput,   average latency,           p99,   average response            memory
                            req/s                 ms             ms       closed loop,            /proc,
                     closed loop,         open loop,     open loop,     64 connections   PSS at its peak
                   64 connections          350 req/s      350 req/s
        ────────────────────────────────────────────────────────────────────────────────────────────────
        0              504  1.00x       14.5   1.00x   43.6   1.00x     1,583 B  1.00x    318 MiB  1.00x
        0:free      26,100  51.9x      0.852  0.059x   2.56  0.059x     1,583 B  1.00x    301 MiB  0.95x
        1:spawn        391  0.78x       19.7   1.36x   59.0   1.36x       373 B* 0.24x    251 MiB* 0.79x
        2:core       9,710  19.3x       1.22  0.084x   3.67  0.084x       373 B* 0.24x    266 MiB  0.84x
        3:native    13,600* 27.1x       1.06* 0.073x   3.17* 0.073x       373 B* 0.24x    262 MiB  0.82x
        4:server         –                 –              –                   –                 –

                                p50, ms                p95, ms                  CPU per request, us     failures   of ceiling
                   open loop, 350 req/s   open loop, 350 req/s   /proc, closed loop, 64 connections   both loops   throughput
        ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        0                  12.1   1.00x           25.4   1.00x                        3,770   1.00x            0          2 %
        0:free            0.710  0.059x           1.49  0.059x                         72.7  0.019x            0        100 %
        1:spawn            16.4   1.36x           34.4   1.36x                        4,860   1.29x            0          1 %
        2:core             1.02  0.084x           2.14  0.084x                          196  0.052x            0         37 %
        3:native          0.880* 0.073x           1.85* 0.073x                          139* 0.037x            0         52 %
        4:server              –                      –                                    –                    –            –

        ~ 1:spawn: unsteady, cannot carry 350 req/s
        * the best of its column; 1.00x is the row 0

        all groups
                                    throughput, req/s   times node 0                  CPU per request, us      times node 0
                          closed loop, 64 connections     throughput   /proc, closed loop, 64 connections   CPU per request
        ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        node 0                              504 1.00x          1.00x                         3,770  1.00x             1.00x
        node 0:free                      26,100 51.9x              –                          72.7 0.019x                 –
        node 1:spawn                        391 0.78x              –                         4,860  1.29x                 –
        node 2:core                       9,710 19.3x              –                           196 0.052x                 –
        node 3:native                    13,600 27.1x              –                           139 0.037x                 –
        node 4:server                         –                    –                             –                        –
        python 0                            504 1.00x              –                         3,770  1.00x                 –
        python 0:free                    26,100 51.9x              –                          72.7 0.019x                 –
        python 1:spawn                      391 0.78x              –                         4,860  1.29x                 –
        python 2:core                     9,710 19.3x              –                           196 0.052x                 –
        python 3:native                  13,600 27.1x              –                           139 0.037x                 –
        python 4:server                       –                    –                             –                        –

        1.00x is each group's own reference; columns with its name in the head compare with node 0.
        95 % intervals over blocks by Student's t, corrected for five comparisons.

        ! Another program kept 0.6 of 2 processors busy: figures may be too low.

        ^ node 0:free is the ceiling: 51.9x.
        - node 1:spawn does not pay: 0.78x the throughput.
        + node 2:core pays: 19.3x the throughput, 0.24x the bytes.
        + node 3:native pays: 27.1x the throughput, 0.24x the bytes.
        x node 4:server failed: it did not answer within 30 s.

        ^ python 0:free is the ceiling: 51.9x.
        - python 1:spawn does not pay: 0.78x the throughput.
        + python 2:core pays: 19.3x the throughput, 0.24x the bytes.
        + python 3:native pays: 27.1x the throughput, 0.24x the bytes.
        x python 4:server failed: it did not answer within 30 s.

        => node: Take 3:native: it reaches 52 % of the ceiling. 4:server was not measured, so what it would add is not known.

        => python: Take 3:native: it reaches 52 % of the ceiling. 4:server was not measured, so what it would add is not known.

        x 4:server (node): it did not answer within 30 s
          | listening on 0.0.0.0:8080
          | thread 'main' panicked: port 8080 is taken

        x 4:server (python): it did not answer within 30 s
          | listening on 0.0.0.0:8080
          | thread 'main' panicked: port 8080 is taken
    "#]].assert_eq(&render(&record, &analysis, WIDE));
}

#[test]
fn a_row_of_its_own_and_rows_that_all_failed() {
    let alone = sample::servers().remove(0);
    let failed: Vec<_> = sample::servers().into_iter().map(|server| Server { fails: true, ..server }).take(2).collect();
    for rows in [vec![alone], failed, Vec::new()] {
        let (record, analysis) = sample::run(&rows, 2);
        let text = render(&record, &analysis, WIDE);
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
    let (record, analysis) = sample::run(&[], 0);
    expect![[r#"
        thumbnails 2026-11-21 09:44 UTC
        0 rows, 0 blocks, 7 min 12 s
        AMD EPYC 7763 (may use 2 processors), Linux 6.1.0, node 20.20.2, rustc 1.95.0
        95 % intervals over blocks by Student's t, corrected for five comparisons.

        ! Another program kept 0.6 of 2 processors busy: figures may be too low.
    "#]]
    .assert_eq(&render(&record, &analysis, WIDE));
}

#[test]
fn no_line_is_too_long() {
    let mut runs = [sample::run(&sample::servers(), 3), sample::run(&sample::thirty_rows(), 3), sample::hostile()];
    // A long word cannot be broken: no more can be asked.
    runs[1].1.groups[0].verdicts.clear();
    runs[2].1.method.clear();
    for (record, analysis) in &runs {
        for width in [40, 60, 80, 100, 120, 200] {
            for colour in [Colour::Plain, Colour::Ansi] {
                let text = render(record, analysis, Style { width: Some(width), colour });
                for line in text.lines().filter(|line| !line.contains("http://") && !line.starts_with("  |")) {
                    let plain = line.replace("\u{1b}[1m", "").replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
                    assert!(plain.chars().count() <= usize::from(width), "{width}: {line}");
                }
            }
        }
    }
}

#[test]
fn colours_only_add() {
    let (record, analysis) = sample::run(&sample::servers(), 3);
    let coloured = render(&record, &analysis, Style { colour: Colour::Ansi, ..WIDE });
    assert!(coloured.contains("\u{1b}[1m"));
    let mut plain = String::new();
    for (index, part) in coloured.split("\u{1b}[").enumerate() {
        plain += if index == 0 { part } else { part.split_once('m').expect("a sequence ends with m").1 };
    }
    assert_eq!(plain, render(&record, &analysis, WIDE));
}

#[test]
fn nothing_from_outside_steers_the_terminal() {
    let (record, analysis) = sample::hostile();
    let text = render(&record, &analysis, WIDE);
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{2028}']), "{text}");
}
