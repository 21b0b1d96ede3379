//! The report for GitHub.

use expect_test::expect;
use tierup_bench::report::markdown::render;

use crate::sample;

#[test]
fn a_run() {
    let (record, analysis) = sample::run(&sample::servers(), 3);
    expect![[r#"
        # thumbnails

        2026-11-21 09:44 UTC; 6 rows, 3 blocks, 7 min 12 s; tierup 0.1.0

        > [!WARNING]
        > Another program kept 0.6 of 2 processors busy: figures may be too low.

        > **Take 3:native: it reaches 52 % of the ceiling. 4:server was not measured, so what it would add is not known.**

        ## Figures

        - 🔝 0:free is the ceiling: 51.9x.
        - ➖ 1:spawn does not pay: 0.78x the throughput.
        - ✅ 2:core pays: 19.3x the throughput, 0.24x the bytes.
        - ✅ 3:native pays: 27.1x the throughput, 0.24x the bytes.
        - ❌ 4:server failed: it did not answer within 30 s.

        |  | CPU per request, us<br><sub>/proc, closed loop</sub> | throughput, req/s<br><sub>closed loop, 64 connections</sub> | p99, ms<br><sub>open loop, 350 req/s</sub> | average response<br><sub>closed loop, 64 connections</sub> | memory<br><sub>/proc, PSS at its peak</sub> |
        | :-- | --: | --: | --: | --: | --: |
        | `0` | 3,770<br>1.00x | 504<br>1.00x | 43.6<br>1.00x | 1,583 B<br>1.00x | 318 MiB<br>1.00x |
        | `0:free` | 72.7<br>51.9x less <sub>±2%</sub> | 26,100<br>51.9x <sub>±4%</sub> | 2.56<br>17.0x less <sub>±4%</sub> | 1,583 B<br>1.00x | 301 MiB<br>1.06x less <sub>±4%</sub> |
        | `1:spawn` | 4,860<br>1.29x <sub>±2%</sub> | 391<br>1.29x less <sub>±4%</sub> | 59.0<br>1.36x <sub>±4%</sub> | **373 B**<br>4.24x less | **251 MiB**<br>1.27x less <sub>±4%</sub> |
        | `2:core` | 196<br>19.3x less <sub>±2%</sub> | 9,710<br>19.3x <sub>±4%</sub> | 3.67<br>11.9x less <sub>±4%</sub> | **373 B**<br>4.24x less | 266 MiB<br>1.20x less <sub>±4%</sub> |
        | `3:native` | **139**<br>27.1x less <sub>±2%</sub> | **13,600**<br>27.1x <sub>±4%</sub> | **3.17**<br>13.8x less <sub>±4%</sub> | **373 B**<br>4.24x less | 262 MiB<br>1.21x less <sub>±4%</sub> |
        | `4:server` | – | – | – | – | – |

        |  | average latency, ms<br><sub>open loop, 350 req/s</sub> | p50, ms<br><sub>open loop, 350 req/s</sub> | p95, ms<br><sub>open loop, 350 req/s</sub> | failures<br><sub>both loops</sub> | of ceiling<br><sub>throughput</sub> |
        | :-- | --: | --: | --: | --: | --: |
        | `0` | 14.5<br>1.00x | 12.1<br>1.00x | 25.4<br>1.00x | 0 | 2 % |
        | `0:free` | 0.852<br>17.0x less <sub>±4%</sub> | 0.710<br>17.0x less <sub>±4%</sub> | 1.49<br>17.0x less <sub>±4%</sub> | 0 | 100 % |
        | `1:spawn` | 19.7<br>1.36x <sub>±4%</sub> | 16.4<br>1.36x <sub>±4%</sub> | 34.4<br>1.36x <sub>±4%</sub> | 0 | 1 % |
        | `2:core` | 1.22<br>11.9x less <sub>±4%</sub> | 1.02<br>11.9x less <sub>±4%</sub> | 2.14<br>11.9x less <sub>±4%</sub> | 0 | 37 % |
        | `3:native` | **1.06**<br>13.7x less <sub>±4%</sub> | **0.880**<br>13.8x less <sub>±4%</sub> | **1.85**<br>13.8x less <sub>±4%</sub> | 0 | 52 % |
        | `4:server` | – | – | – | – | – |

        - `1:spawn`: unsteady, cannot carry 350 req/s

        Bold is the best of its column; 1.00x is `0`, 2.00x less is half of it.

        ## What went wrong

        `4:server`: it did not answer within 30 s

        <details><summary>The end of its log</summary>

        ```text
        listening on 0.0.0.0:8080
        thread 'main' panicked: port 8080 is taken
        ```

        </details>

        ## Environment

        |  |  |
        | :-- | :-- |
        | processor | AMD EPYC 7763 |
        | processors it may use | 2 |
        | memory | 24.0 GiB |
        | kernel | Linux 6.1.0 |
        | node | 20.20.2 |
        | rustc | 1.95.0 |
        | other work before | 0.04 processors, 0.00 stolen, load 0.31 |
        | other work after | 0.06 processors, 0.01 stolen, load 1.72 |

        ## Method

        95 % intervals over blocks by Student's t, corrected for five comparisons.

        |  |  |
        | :-- | :-- |
        | requests | 1,000 distinct from requests.http, 2 more only checked, because the reference refuses them |
        | blocks | 3 |
        | closed loop | 64 connections |
        | open loop | 350 req/s, 70 % of what the reference carried |
        | slices | 2 s closed, 2 s open |
        | timeout | 10 s |
        | generating threads | 2 |
        | servers run on | not pinned |
        | generator runs on | not pinned |
        | smallest change that counts | 5 % |

        To repeat it:

        ```text
        tierup bench thumbnails --tiers all
        ```
    "#]].assert_eq(&render(&record, &analysis));
}

#[test]
fn text_from_outside_adds_no_formatting() {
    let (record, analysis) = sample::hostile();
    expect![[r##"
        # \</script\>\<script\>window.stolen = 1\</script\>

        2026-11-21 09:44 UTC; 4 rows, 3 blocks, 7 min 12 s; tierup 0.1.0

        > [!WARNING]
        > \</script\>\<script\>window.stolen = 1\</script\>
        >
        > "\>\<img src=x onerror='window.stolen = 1'\>
        >
        > \| a \`b\` \*c\* @<!-- -->user \[d\](http://e) \<\!--
        >
        > �dlrow �\[31m hello

        ## Figures

        - 🔝 "\>\<img src=x onerror='window.stolen = 1'\> is the ceiling: 51.9x.
        - ➖ \| a \`b\` \*c\* @<!-- -->user \[d\](http://e) \<\!-- does not pay: 0.78x the throughput.
        - ❌ �dlrow �\[31m hello failed: it did not answer within 30 s.

        |  | CPU per request, us<br><sub>/proc, closed loop</sub> | throughput, req/s<br><sub>closed loop, 64 connections</sub> | p99, ms<br><sub>open loop, 350 req/s</sub> | average response<br><sub>closed loop, 64 connections</sub> | memory<br><sub>/proc, PSS at its peak</sub> |
        | :-- | --: | --: | --: | --: | --: |
        | `</script><script>window.stolen = 1</script>` | **3,770**<br>1.00x | **504**<br>1.00x | **43.6**<br>1.00x | 1,583 B<br>1.00x | 318 MiB<br>1.00x |
        | `"><img src=x onerror='window.stolen = 1'>` | 72.7<br>51.9x less <sub>±2%</sub> | 26,100<br>51.9x <sub>±4%</sub> | 2.56<br>17.0x less <sub>±4%</sub> | 1,583 B<br>1.00x | 301 MiB<br>1.06x less <sub>±4%</sub> |
        | ``\| a `b` *c* @user [d](http://e) <!--`` | 4,860<br>1.29x <sub>±2%</sub> | 391<br>1.29x less <sub>±4%</sub> | 59.0<br>1.36x <sub>±4%</sub> | **373 B**<br>4.24x less | **251 MiB**<br>1.27x less <sub>±4%</sub> |
        | `�dlrow �[31m hello` | – | – | – | – | – |

        |  | average latency, ms<br><sub>open loop, 350 req/s</sub> | p50, ms<br><sub>open loop, 350 req/s</sub> | p95, ms<br><sub>open loop, 350 req/s</sub> | failures<br><sub>both loops</sub> | of ceiling<br><sub>throughput</sub> |
        | :-- | --: | --: | --: | --: | --: |
        | `</script><script>window.stolen = 1</script>` | **14.5**<br>1.00x | **12.1**<br>1.00x | **25.4**<br>1.00x | 0 | 2 % |
        | `"><img src=x onerror='window.stolen = 1'>` | 0.852<br>17.0x less <sub>±4%</sub> | 0.710<br>17.0x less <sub>±4%</sub> | 1.49<br>17.0x less <sub>±4%</sub> | 0 | 100 % |
        | ``\| a `b` *c* @user [d](http://e) <!--`` | 19.7<br>1.36x <sub>±4%</sub> | 16.4<br>1.36x <sub>±4%</sub> | 34.4<br>1.36x <sub>±4%</sub> | 0 | 1 % |
        | `�dlrow �[31m hello` | – | – | – | – | – |

        Bold is the best of its column; 1.00x is `</script><script>window.stolen = 1</script>`, 2.00x less is half of it.

        ## What went wrong

        `�dlrow �[31m hello`: it did not answer within 30 s

        <details><summary>The end of its log</summary>

        ```text
        </script><script>window.stolen = 1</script>
        "><img src=x onerror='window.stolen = 1'>
        | a `b` *c* @user [d](http://e) <!--
        �dlrow �[31m hello
        ```

        </details>

        ## Environment

        |  |  |
        | :-- | :-- |
        | processor | AMD EPYC 7763 |
        | processors it may use | 2 |
        | memory | 24.0 GiB |
        | kernel | Linux 6.1.0 |
        | node | 20.20.2 |
        | rustc | 1.95.0 |
        | "\>\<img src=x onerror='window.stolen = 1'\> | \</script\>\<script\>window.stolen = 1\</script\> |
        | other work before | 0.04 processors, 0.00 stolen, load 0.31 |
        | other work after | 0.06 processors, 0.01 stolen, load 1.72 |

        ## Method

        \</script\>\<script\>window.stolen = 1\</script\>

        "\>\<img src=x onerror='window.stolen = 1'\>

        \| a \`b\` \*c\* @<!-- -->user \[d\](http://e) \<\!--

        �dlrow �\[31m hello

        |  |  |
        | :-- | :-- |
        | requests | 1,000 distinct from \| a \`b\` \*c\* @<!-- -->user \[d\](http://e) \<\!--, 2 more only checked, because the reference refuses them |
        | blocks | 3 |
        | closed loop | 64 connections |
        | open loop | 350 req/s, 70 % of what the reference carried |
        | slices | 2 s closed, 2 s open |
        | timeout | 10 s |
        | generating threads | 2 |
        | servers run on | not pinned |
        | generator runs on | not pinned |
        | smallest change that counts | 5 % |

        To repeat it:

        ```text
        "><img src=x onerror='window.stolen = 1'>
        ```
    "##]].assert_eq(&render(&record, &analysis));
}
