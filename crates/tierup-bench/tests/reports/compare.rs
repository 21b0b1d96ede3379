//! Comparisons of several runs, as text, as Markdown and as a page.

use expect_test::expect;
use tierup_bench::report::{RunReport, html, markdown, text};

use crate::{page::read, sample, text::WIDE};

#[test]
fn as_text() {
    let (record, analysis) = sample::run(&sample::servers(), 3);
    let (mut other, other_analysis) = sample::run(&sample::servers()[..4], 5);
    other.provenance.environment.processor = "AMD EPYC 9654".into();
    expect![[r#"
        thumbnails
        run 1: thumbnails, 2026-11-21 09:44 UTC, 6 rows, 3 blocks, 7 min 12 s
        run 2: thumbnails, 2026-11-21 09:44 UTC, 4 rows, 5 blocks, 7 min 12 s

        ! The runs come from different machines: absolute figures are not comparable between them, only the ratios within each
          run are.
        ! The runs were measured under different conditions, which are listed below.

        CPU per request, us
                                   run 1                   run 2
                      /proc, closed loop      /proc, closed loop
        ────────────────────────────────────────────────────────
        0          3,770       1.00x       3,770       1.00x
        0:free      72.7  51.9x less ±2%    72.7  51.9x less ±2%
        1:spawn    4,860       1.29x ±2%   4,860       1.29x ±2%
        2:core       196  19.3x less ±2%     196* 19.3x less ±2%
        3:native     139* 27.1x less ±2%       –
        4:server       –                       –

        throughput, req/s
                                         run 1                         run 2
                   closed loop, 64 connections   closed loop, 64 connections
        ────────────────────────────────────────────────────────────────────
        0                  504       1.00x               504       1.00x
        0:free          26,100       51.9x ±4%        26,100       51.9x ±4%
        1:spawn            391  1.29x less ±4%           391  1.29x less ±4%
        2:core           9,710       19.3x ±4%         9,710*      19.3x ±4%
        3:native        13,600*      27.1x ±4%             –
        4:server             –                             –

        p99, ms
                                  run 1                  run 2
                   open loop, 350 req/s   open loop, 350 req/s
        ──────────────────────────────────────────────────────
        0          43.6       1.00x       43.6       1.00x
        0:free     2.56  17.0x less ±4%   2.56  17.0x less ±4%
        1:spawn    59.0       1.36x ±4%   59.0       1.36x ±4%
        2:core     3.67  11.9x less ±4%   3.67* 11.9x less ±4%
        3:native   3.17* 13.8x less ±4%      –
        4:server      –                      –

        memory
                                     run 1                     run 2
                    /proc, PSS at its peak    /proc, PSS at its peak
        ────────────────────────────────────────────────────────────
        0          318 MiB       1.00x       318 MiB       1.00x
        0:free     301 MiB  1.06x less ±4%   301 MiB  1.06x less ±4%
        1:spawn    251 MiB* 1.27x less ±4%   251 MiB* 1.27x less ±4%
        2:core     266 MiB  1.20x less ±4%   266 MiB  1.20x less ±4%
        3:native   262 MiB  1.21x less ±4%         –
        4:server         –                         –

        different processor:
          run 1: AMD EPYC 7763
          run 2: AMD EPYC 9654

        different blocks:
          run 1: 3
          run 2: 5
    "#]].assert_eq(&text::compare(&[RunReport::new(&record, &analysis), RunReport::new(&other, &other_analysis)], WIDE));
}

#[test]
fn as_markdown() {
    let (record, analysis) = sample::run(&sample::servers(), 3);
    let (mut other, other_analysis) = sample::run(&sample::servers()[..4], 5);
    other.provenance.environment.processor = "AMD EPYC 9654".into();
    expect![[r#"
        # thumbnails

        - run 1: thumbnails, 2026-11-21 09:44 UTC, 6 rows, 3 blocks, 7 min 12 s
        - run 2: thumbnails, 2026-11-21 09:44 UTC, 4 rows, 5 blocks, 7 min 12 s

        > [!WARNING]
        > The runs come from different machines: absolute figures are not comparable between them, only the ratios within each run are.
        >
        > The runs were measured under different conditions, which are listed below.

        ## CPU per request, us

        |  | run 1<br><sub>/proc, closed loop</sub> | run 2<br><sub>/proc, closed loop</sub> |
        | :-- | --: | --: |
        | `0` | 3,770<br>1.00x | 3,770<br>1.00x |
        | `0:free` | 72.7<br>51.9x less <sub>±2%</sub> | 72.7<br>51.9x less <sub>±2%</sub> |
        | `1:spawn` | 4,860<br>1.29x <sub>±2%</sub> | 4,860<br>1.29x <sub>±2%</sub> |
        | `2:core` | 196<br>19.3x less <sub>±2%</sub> | **196**<br>19.3x less <sub>±2%</sub> |
        | `3:native` | **139**<br>27.1x less <sub>±2%</sub> | – |
        | `4:server` | – | – |

        ## throughput, req/s

        |  | run 1<br><sub>closed loop, 64 connections</sub> | run 2<br><sub>closed loop, 64 connections</sub> |
        | :-- | --: | --: |
        | `0` | 504<br>1.00x | 504<br>1.00x |
        | `0:free` | 26,100<br>51.9x <sub>±4%</sub> | 26,100<br>51.9x <sub>±4%</sub> |
        | `1:spawn` | 391<br>1.29x less <sub>±4%</sub> | 391<br>1.29x less <sub>±4%</sub> |
        | `2:core` | 9,710<br>19.3x <sub>±4%</sub> | **9,710**<br>19.3x <sub>±4%</sub> |
        | `3:native` | **13,600**<br>27.1x <sub>±4%</sub> | – |
        | `4:server` | – | – |

        ## p99, ms

        |  | run 1<br><sub>open loop, 350 req/s</sub> | run 2<br><sub>open loop, 350 req/s</sub> |
        | :-- | --: | --: |
        | `0` | 43.6<br>1.00x | 43.6<br>1.00x |
        | `0:free` | 2.56<br>17.0x less <sub>±4%</sub> | 2.56<br>17.0x less <sub>±4%</sub> |
        | `1:spawn` | 59.0<br>1.36x <sub>±4%</sub> | 59.0<br>1.36x <sub>±4%</sub> |
        | `2:core` | 3.67<br>11.9x less <sub>±4%</sub> | **3.67**<br>11.9x less <sub>±4%</sub> |
        | `3:native` | **3.17**<br>13.8x less <sub>±4%</sub> | – |
        | `4:server` | – | – |

        ## memory

        |  | run 1<br><sub>/proc, PSS at its peak</sub> | run 2<br><sub>/proc, PSS at its peak</sub> |
        | :-- | --: | --: |
        | `0` | 318 MiB<br>1.00x | 318 MiB<br>1.00x |
        | `0:free` | 301 MiB<br>1.06x less <sub>±4%</sub> | 301 MiB<br>1.06x less <sub>±4%</sub> |
        | `1:spawn` | **251 MiB**<br>1.27x less <sub>±4%</sub> | **251 MiB**<br>1.27x less <sub>±4%</sub> |
        | `2:core` | 266 MiB<br>1.20x less <sub>±4%</sub> | 266 MiB<br>1.20x less <sub>±4%</sub> |
        | `3:native` | 262 MiB<br>1.21x less <sub>±4%</sub> | – |
        | `4:server` | – | – |

        ## What differs between the runs

        |  | run 1 | run 2 |
        | :-- | :-- | :-- |
        | processor | AMD EPYC 7763 | AMD EPYC 9654 |
        | blocks | 3 | 5 |
    "#]].assert_eq(&markdown::compare(&[RunReport::new(&record, &analysis), RunReport::new(&other, &other_analysis)]));
}

#[test]
fn as_a_page() {
    let (record, analysis) = sample::run(&sample::servers()[..2], 3);
    let (mut other, other_analysis) = sample::run(&sample::servers()[..3], 3);
    other.provenance.environment.kernel = "Linux 6.6.0".into();
    expect![[r#"
        thumbnails: runs side by side
        thumbnails
        run 1:
        thumbnails, 2026-11-21 09:44 UTC, 2 rows, 3 blocks, 7 min 12 s
        run 2:
        thumbnails, 2026-11-21 09:44 UTC, 3 rows, 3 blocks, 7 min 12 s
        The runs come from different machines: absolute figures are not comparable between them, only the ratios within each run are.
        Show figures
        both
        absolute
        relative to the run's reference
        CPU per request, us
        row
        run 1
        /proc, closed loop
        run 2
        /proc, closed loop
        0
        3,770
        1.00x
        3,770
        1.00x
        the best
        0:free
        72.7
        51.9x less
        ±2%
        72.7
        51.9x less
        ±2%
        1:spawn
        –
        4,860
        1.29x
        ±2%
        throughput, req/s
        row
        run 1
        closed loop, 64 connections
        run 2
        closed loop, 64 connections
        0
        504
        1.00x
        504
        1.00x
        the best
        0:free
        26,100
        51.9x
        ±4%
        26,100
        51.9x
        ±4%
        1:spawn
        –
        391
        1.29x less
        ±4%
        p99, ms
        row
        run 1
        open loop, 350 req/s
        run 2
        open loop, 350 req/s
        0
        43.6
        1.00x
        43.6
        1.00x
        the best
        0:free
        2.56
        17.0x less
        ±4%
        2.56
        17.0x less
        ±4%
        1:spawn
        –
        59.0
        1.36x
        ±4%
        memory
        row
        run 1
        /proc, PSS at its peak
        run 2
        /proc, PSS at its peak
        0
        318 MiB
        1.00x
        318 MiB
        1.00x
        0:free
        301 MiB
        1.06x less
        ±4%
        301 MiB
        1.06x less
        ±4%
        1:spawn
        –
        251 MiB
        1.27x less
        ±4%
        the best
        What differs between the runs
        run 1
        run 2
        kernel
        Linux 6.1.0
        Linux 6.6.0"#]].assert_eq(&read(&html::compare(&[RunReport::new(&record, &analysis), RunReport::new(&other, &other_analysis)])));
}
