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

                   CPU per request,      throughput,             p99,   average response            memory
                                 us            req/s               ms       closed loop,            /proc,
                             /proc,     closed loop,       open loop,     64 connections   PSS at its peak
                        closed loop   64 connections        350 req/s
        ──────────────────────────────────────────────────────────────────────────────────────────────────
        0                    3,770              504             43.6            1,583 B           318 MiB
                              1.00x            1.00x            1.00x              1.00x             1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free                72.7           26,100             2.56            1,583 B           301 MiB
                     51.9x less ±2%        51.9x ±4%   17.0x less ±4%              1.00x    1.06x less ±4%
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        1:spawn              4,860              391             59.0              373 B*          251 MiB*
                          1.29x ±2%   1.29x less ±4%        1.36x ±4%         4.24x less    1.27x less ±4%
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        2:core                 196            9,710             3.67              373 B*          266 MiB
                     19.3x less ±2%        19.3x ±4%   11.9x less ±4%         4.24x less    1.20x less ±4%
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        3:native               139*          13,600*            3.17*             373 B*          262 MiB
                     27.1x less ±2%        27.1x ±4%   13.8x less ±4%         4.24x less    1.21x less ±4%
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        4:server                 –                –                –                  –                 –

                     average latency, ms                 p50, ms                p95, ms     failures   of ceiling
                    open loop, 350 req/s    open loop, 350 req/s   open loop, 350 req/s   both loops   throughput
        ─────────────────────────────────────────────────────────────────────────────────────────────────────────
        0           14.5       1.00x        12.1       1.00x       25.4       1.00x                0          2 %
        0:free     0.852  17.0x less ±4%   0.710  17.0x less ±4%   1.49  17.0x less ±4%            0        100 %
        1:spawn     19.7       1.36x ±4%    16.4       1.36x ±4%   34.4       1.36x ±4%            0          1 %
        2:core      1.22  11.9x less ±4%    1.02  11.9x less ±4%   2.14  11.9x less ±4%            0         37 %
        3:native    1.06* 13.7x less ±4%   0.880* 13.8x less ±4%   1.85* 13.8x less ±4%            0         52 %
        4:server       –                       –                      –                            –            –

        ~ 1:spawn: unsteady, cannot carry 350 req/s
        * the best of its column; 1.00x is the row 0, 2.00x less is half of it
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
    "#]]
    .assert_eq(&render(&record, &analysis, WIDE));
}

#[test]
fn a_run_in_80_characters() {
    let (record, analysis) = sample::run(&sample::servers()[..3], 3);
    expect![[r#"
        thumbnails 2026-11-21 09:44 UTC
        3 rows, 3 blocks, 7 min 12 s
        AMD EPYC 7763 (may use 2 processors), Linux 6.1.0, node 20.20.2, rustc 1.95.0

                     CPU per   throughput,         p99,       average       memory
                    request,         req/s           ms      response       /proc,
                          us        closed   open loop,        closed   PSS at its
                      /proc,         loop,    350 req/s         loop,         peak
                      closed            64                         64
                        loop   connections                connections
        ──────────────────────────────────────────────────────────────────────────
        0             3,770*          504*        43.6*      1,583 B      318 MiB
                       1.00x         1.00x        1.00x         1.00x        1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free         72.7        26,100         2.56       1,583 B      301 MiB
                  51.9x less         51.9x   17.0x less         1.00x   1.06x less
                         ±2%           ±4%          ±4%                        ±4%
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        1:spawn       4,860           391         59.0         373 B*     251 MiB*
                       1.29x    1.29x less        1.36x    4.24x less   1.27x less
                         ±2%           ±4%          ±4%                        ±4%

                     average         p50,         p95,   failures   of ceiling
                    latency,           ms           ms       both   throughput
                          ms   open loop,   open loop,      loops
                  open loop,    350 req/s    350 req/s
                   350 req/s
        ──────────────────────────────────────────────────────────────────────
        0              14.5*        12.1*        25.4*          0          2 %
                       1.00x        1.00x        1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free        0.852        0.710         1.49           0        100 %
                  17.0x less   17.0x less   17.0x less
                         ±4%          ±4%          ±4%
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        1:spawn        19.7         16.4         34.4           0          1 %
                       1.36x        1.36x        1.36x
                         ±4%          ±4%          ±4%

        ~ 1:spawn: unsteady, cannot carry 350 req/s
        * the best of its column; 1.00x is the row 0, 2.00x less is half of it
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

                    CPU per   throughput,
                   request,         req/s
                         us        closed
                     /proc,         loop,
                     closed            64
                       loop   connections
        ─────────────────────────────────
        0             3,770           504
                      1.00x         1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free         72.7        26,100
                 51.9x less         51.9x
                        ±2%           ±4%

                       p99,       average
                         ms      response
                 open loop,        closed
                  350 req/s         loop,
                                       64
                              connections
        ─────────────────────────────────
        0              43.6       1,583 B
                      1.00x         1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free         2.56       1,583 B
                 17.0x less         1.00x
                        ±4%

                     memory
                     /proc,
                 PSS at its
                       peak
        ───────────────────
        0           318 MiB
                      1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free      301 MiB
                 1.06x less
                        ±4%

                    average         p50,
                   latency,           ms
                         ms   open loop,
                 open loop,    350 req/s
                  350 req/s
        ────────────────────────────────
        0              14.5         12.1
                      1.00x        1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free        0.852        0.710
                 17.0x less   17.0x less
                        ±4%          ±4%

                       p95,   failures
                         ms       both
                 open loop,      loops
                  350 req/s
        ──────────────────────────────
        0              25.4          0
                      1.00x
        ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
        0:free         1.49          0
                 17.0x less
                        ±4%

                 of ceiling
                 throughput
        ───────────────────
        0               2 %
        0:free        100 %

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
fn groups_of_one_block_have_no_intervals() {
    let (mut record, analysis) = sample::run(&sample::two_hosts(), 1);
    record.settings.blocks = 5;
    record.provenance.interrupted = true;
    expect![[r#"
        thumbnails 2026-11-21 09:44 UTC
        12 rows, 1 of 5 blocks, 7 min 12 s
        AMD EPYC 7763 (may use 2 processors), Linux 6.1.0, node 20.20.2, rustc 1.95.0

        node
                    CPU per request,          throughput,               p99,      average response                memory
                                  us                req/s                 ms          closed loop,                /proc,
                              /proc,         closed loop,         open loop,        64 connections       PSS at its peak
                         closed loop       64 connections          350 req/s
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        0          3,770       1.00x      504       1.00x   43.6       1.00x   1,583 B       1.00x   318 MiB       1.00x
        0:free      72.7  51.9x less   26,100       51.9x   2.56  17.0x less   1,583 B       1.00x   301 MiB  1.06x less
        1:spawn    4,860       1.29x      391  1.29x less   59.0       1.36x     373 B* 4.24x less   251 MiB* 1.27x less
        2:core       196  19.3x less    9,710       19.3x   3.67  11.9x less     373 B* 4.24x less   266 MiB  1.20x less
        3:native     139* 27.1x less   13,600*      27.1x   3.17* 13.8x less     373 B* 4.24x less   262 MiB  1.21x less
        4:server       –                    –                  –                     –                     –

                    average latency, ms                p50, ms                p95, ms     failures   of ceiling
                   open loop, 350 req/s   open loop, 350 req/s   open loop, 350 req/s   both loops   throughput
        ───────────────────────────────────────────────────────────────────────────────────────────────────────
        0              14.5       1.00x       12.1       1.00x       25.4       1.00x            0          2 %
        0:free        0.852  17.0x less      0.710  17.0x less       1.49  17.0x less            0        100 %
        1:spawn        19.7       1.36x       16.4       1.36x       34.4       1.36x            0          1 %
        2:core         1.22  11.9x less       1.02  11.9x less       2.14  11.9x less            0         37 %
        3:native       1.06* 13.7x less      0.880* 13.8x less       1.85* 13.8x less            0         52 %
        4:server          –                      –                      –                        –            –

        ~ 1:spawn: unsteady, cannot carry 350 req/s
        * the best of its column; 1.00x is the row 0, 2.00x less is half of it

        python
                    CPU per request,          throughput,               p99,      average response                memory
                                  us                req/s                 ms          closed loop,                /proc,
                              /proc,         closed loop,         open loop,        64 connections       PSS at its peak
                         closed loop       64 connections          350 req/s
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        0          3,770       1.00x      504       1.00x   43.6       1.00x   1,583 B       1.00x   318 MiB       1.00x
        0:free      72.7  51.9x less   26,100       51.9x   2.56  17.0x less   1,583 B       1.00x   301 MiB  1.06x less
        1:spawn    4,860       1.29x      391  1.29x less   59.0       1.36x     373 B* 4.24x less   251 MiB* 1.27x less
        2:core       196  19.3x less    9,710       19.3x   3.67  11.9x less     373 B* 4.24x less   266 MiB  1.20x less
        3:native     139* 27.1x less   13,600*      27.1x   3.17* 13.8x less     373 B* 4.24x less   262 MiB  1.21x less
        4:server       –                    –                  –                     –                     –

                    average latency, ms                p50, ms                p95, ms     failures   of ceiling
                   open loop, 350 req/s   open loop, 350 req/s   open loop, 350 req/s   both loops   throughput
        ───────────────────────────────────────────────────────────────────────────────────────────────────────
        0              14.5       1.00x       12.1       1.00x       25.4       1.00x            0          2 %
        0:free        0.852  17.0x less      0.710  17.0x less       1.49  17.0x less            0        100 %
        1:spawn        19.7       1.36x       16.4       1.36x       34.4       1.36x            0          1 %
        2:core         1.22  11.9x less       1.02  11.9x less       2.14  11.9x less            0         37 %
        3:native       1.06* 13.7x less      0.880* 13.8x less       1.85* 13.8x less            0         52 %
        4:server          –                      –                      –                        –            –

        ~ 1:spawn: unsteady, cannot carry 350 req/s
        * the best of its column; 1.00x is the row 0, 2.00x less is half of it

        all groups
                          CPU per request, us      times node 0             throughput, req/s   times node 0
                           /proc, closed loop   CPU per request   closed loop, 64 connections     throughput
        ────────────────────────────────────────────────────────────────────────────────────────────────────
        node 0               3,770      1.00x             1.00x                504      1.00x          1.00x
        node 0:free           72.7 51.9x less                 –             26,100      51.9x              –
        node 1:spawn         4,860      1.29x                 –                391 1.29x less              –
        node 2:core            196 19.3x less                 –              9,710      19.3x              –
        node 3:native          139 27.1x less                 –             13,600      27.1x              –
        node 4:server            –                            –                  –                         –
        python 0             3,770      1.00x                 –                504      1.00x              –
        python 0:free         72.7 51.9x less                 –             26,100      51.9x              –
        python 1:spawn       4,860      1.29x                 –                391 1.29x less              –
        python 2:core          196 19.3x less                 –              9,710      19.3x              –
        python 3:native        139 27.1x less                 –             13,600      27.1x              –
        python 4:server          –                            –                  –                         –

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
    // Lines with a word that is too long to break are left out.
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
fn colours_do_not_change_the_text() {
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
fn text_from_outside_does_not_control_the_terminal() {
    let (record, analysis) = sample::hostile();
    let text = render(&record, &analysis, WIDE);
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{2028}']), "{text}");
}
