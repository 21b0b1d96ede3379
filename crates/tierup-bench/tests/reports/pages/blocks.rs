//! The blocks between a page's markers. In: a recording and the kind of block. Out: Markdown.
//!
//! | kind | what |
//! |---|---|
//! | `table` | all rows, the column that decides first, and how they were measured |
//! | `cost ROW` | in words: what a request costs at a row, instead of the reference |
//! | `cost ROW OTHER` | the same, instead of the row without Rust that it has to beat |
//! | `verdict ROW` | in words: the report's sentence about a row |
//! | `gain` | in words: where the gain comes from |
//! | `report ROW…` | as a terminal shows it: the sentences about these rows, and the recommendation |

use tierup_bench::analysis::{Cell, Figure, Group, Verdict};
use tierup_report::{
    markdown::{code, inline, labelled},
    numbers::{self, amount, ratio_within, short},
    table::{self, Column},
    text::{Colour, Prose, Style},
};

use super::{DATA, Recording, doubts::others};

/// `up` is the relative path from the page's folder to the repository's root.
pub(super) fn block(from: &Recording, kind: &str, up: &str) -> Result<String, String> {
    let [group] = &from.analysis.groups[..] else { return Err(format!("{} has several hosts", from.name)) };
    let (kind, rows) = kind.split_once(' ').unwrap_or((kind, ""));
    let rows = rows.split_whitespace().map(|label| from.row(group, label)).collect::<Result<Vec<usize>, String>>()?;
    match (kind, &rows[..]) {
        ("table", []) => Ok(format!("{}\n\n{}", from.table(group), from.how(up))),
        ("cost", [row]) => from.cost(group, *row).ok_or_else(|| format!("{} has no such CPU", from.name)),
        ("cost", [row, other]) => {
            from.cost_against(*row, *other).ok_or_else(|| format!("{} does not compare these rows", from.name))
        }
        ("verdict", [row]) => from.sentence(group, *row).map(|(_, text)| inline(text)),
        ("gain", []) => {
            let gain =
                group.gain.as_ref().ok_or_else(|| format!("{} does not say where its gain comes from", from.name));
            gain.map(|gain| inline(&gain.sentence))
        }
        ("report", rows) => from.report(group, rows),
        _ => Err(format!("there is no block `{kind}` of {} rows", rows.len())),
    }
}

/// What a row runs, by the beginning of its label. The first match counts.
const RUNS: [(&str, &str); 13] = [
    ("0:tuned", "better code, no Rust"),
    ("0:free", "recorded answers: the ceiling inside this server"),
    ("0:memo", "a cache around the server's own function"),
    ("0:workers", "the server's own function in worker processes"),
    ("0", "the server as it was"),
    ("1:spawn", "a Rust program for each call"),
    ("1:pool", "Rust programs, fed through pipes"),
    ("2:core", "a Wasm module"),
    ("2:bindgen", "a Wasm module, bound by wasm-bindgen"),
    ("2:component", "a Wasm component"),
    ("3:native", "native code in the process"),
    ("3:async", "native code on a thread pool"),
    ("4", "a Rust server"),
];

impl Recording {
    fn row(&self, group: &Group, label: &str) -> Result<usize, String> {
        let found = group.rows.iter().copied().find(|row| self.analysis.rows[*row].label == label);
        found.ok_or_else(|| format!("{} has no row {label}", self.name))
    }

    fn cell(&self, row: usize, figure: Figure) -> Option<&Cell> {
        self.analysis.cell(row, figure)
    }

    fn label(&self, row: usize) -> String {
        let row = &self.analysis.rows[row];
        let what = match row.label.contains('#') {
            true => "another implementation of the function",
            false => RUNS.iter().find(|(start, _)| row.label.starts_with(start)).map_or("", |(_, what)| what),
        };
        format!("{}{} {what}", code(&row.label), if row.marks.is_empty() { "" } else { " \\*" })
    }

    /// CPU has its intervals. The other columns only describe, so they have none.
    fn table(&self, group: &Group) -> String {
        let column = |head: String, from: &str, of: &dyn Fn(usize) -> Option<String>| Column {
            head,
            from: from.to_owned(),
            cells: group.rows.iter().map(|row| of(*row).map_or_else(table::Cell::missing, table::Cell::new)).collect(),
        };
        let plain = |figure: Figure, write: fn(f64) -> String| {
            let about = self.analysis.columns.iter().find(|column| column.figure == figure)?;
            let unit = if about.unit == "bytes" { String::new() } else { format!(", {}", about.unit) };
            let value = |row| self.cell(row, figure)?.value.map(write);
            Some(column(format!("{}{unit}", about.title), &about.from, &value))
        };
        let times = |row: usize| {
            let cell = self.cell(row, Figure::CpuPerRequest)?;
            if row == group.reference {
                Some("1".to_owned())
            } else {
                Some(ratio_within(cell.ratio?, cell.ratio_interval))
            }
        };
        let reference = &self.analysis.rows[group.reference].label;
        let mut columns: Vec<Column> = plain(Figure::CpuPerRequest, short).into_iter().collect();
        columns.push(column(format!("against {reference}"), "CPU, 95 % interval", &times));
        let against = group.rows.iter().find_map(|row| self.analysis.rows[*row].against.as_ref());
        if let Some(against) = against {
            let names = against.rows.iter().map(|row| self.analysis.rows[*row].label.as_str());
            let times = |row: usize| {
                let times = self.analysis.rows[row].against.as_ref()?.cpu_per_request.as_ref()?;
                Some(ratio_within(times.ratio, times.interval))
            };
            let head = format!("against {}", names.collect::<Vec<_>>().join(" or "));
            columns.push(column(head, "CPU, 95 % interval", &times));
        }
        columns.extend(plain(Figure::Throughput, numbers::significant));
        columns.extend(plain(Figure::P99, numbers::significant));
        columns.extend(plain(Figure::Memory, numbers::bytes));
        labelled(group.rows.iter().map(|row| self.label(*row)), &columns)
    }

    /// How and where it was measured, and the notes on rows with a star.
    fn how(&self, up: &str) -> String {
        let (record, about) = (&self.record, &self.record.provenance);
        let programs = about.environment.versions.iter().map(|(program, version)| format!("{program} {version}"));
        let mut machine = vec![about.environment.processor.clone(), about.environment.kernel.clone()];
        machine.extend(programs);
        machine.retain(|part| !part.is_empty());
        let marked = self.analysis.rows.iter().filter(|row| !row.marks.is_empty());
        let marked: String = marked.map(|row| format!(" \\* {}: {}.", row.label, row.marks.join(", "))).collect();
        format!(
            "<sup>{}, {} in {}, {} connections, {} distinct requests; {} processors of {}, shared with the load generator; \
             other programs took {} of them; {}. [The recording]({up}{DATA}/{}.json); [the method]({up}docs/method.md).{marked}</sup>",
            code(&about.command),
            numbers::counted(record.blocks.len(), "block"),
            numbers::duration(about.seconds),
            record.settings.connections,
            numbers::count(record.requests.distinct as f64),
            numbers::plain(about.environment.processors),
            machine.join(", "),
            numbers::share(others(record)),
            about.began.get(..10).unwrap_or_default(),
            self.name,
        )
    }

    fn cost(&self, group: &Group, row: usize) -> Option<String> {
        let (mine, theirs) =
            (self.cell(row, Figure::CpuPerRequest)?, self.cell(group.reference, Figure::CpuPerRequest)?);
        Some(in_words((mine.value?, theirs.value?), mine.ratio?, mine.ratio_interval))
    }

    fn cost_against(&self, row: usize, other: usize) -> Option<String> {
        let against = self.analysis.rows[row].against.as_ref().filter(|against| against.rows == [other])?;
        let times = against.cpu_per_request.as_ref()?;
        let mine = self.cell(row, Figure::CpuPerRequest)?.value?;
        Some(in_words((mine, times.other), times.ratio, times.interval))
    }

    fn sentence<'a>(&self, group: &'a Group, row: usize) -> Result<(Verdict, &'a str), String> {
        let found = group.verdicts.iter().find(|sentence| sentence.row == row);
        let found = found.map(|sentence| (sentence.verdict, sentence.text.as_str()));
        found.ok_or_else(|| format!("{} has no verdict on {}", self.name, self.analysis.rows[row].label))
    }

    fn report(&self, group: &Group, rows: &[usize]) -> Result<String, String> {
        let mut prose = Prose::new(Style { width: Some(130), colour: Colour::Plain });
        for row in rows {
            let (verdict, text) = self.sentence(group, *row)?;
            let sign = match verdict {
                Verdict::Pays => "+",
                Verdict::DoesNotPay | Verdict::Failed => "-",
                Verdict::NoDifference => "=",
                Verdict::CannotTell | Verdict::Mixed => "?",
            };
            prose.item(sign, text);
        }
        group.recommendation.iter().for_each(|advice| prose.set_off(advice));
        Ok(format!("```\n{}```", prose.finish()))
    }
}

fn in_words((mine, theirs): (f64, f64), ratio: f64, interval: Option<(f64, f64)>) -> String {
    let instead = if numbers::is_same(ratio) { "as against" } else { "instead of" };
    format!("a request costs {} us of CPU {instead} {}: {}", short(mine), short(theirs), amount(ratio, interval))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use tierup_bench::analysis::analyse;

    use super::*;
    use crate::gain::{ROWS, run};

    fn check(kind: &str, expected: Expect) {
        let record = run(&ROWS);
        let from = Recording { name: "x".into(), analysis: analyse(&record), record };
        expected.assert_eq(&block(&from, kind, "../").unwrap_or_else(|problem| problem));
    }

    #[test]
    fn a_table() {
        check(
            "table",
            expect![[r#"
            |  | CPU per request, us<br><sub>/proc, closed loop</sub> | against 0<br><sub>CPU, 95 % interval</sub> | against 0:tuned<br><sub>CPU, 95 % interval</sub> | throughput, req/s<br><sub>closed loop, 64 connections</sub> | p99, ms<br><sub>open loop, 350 req/s</sub> | memory<br><sub>/proc, PSS at its peak</sub> |
            | :-- | --: | --: | --: | --: | --: | --: |
            | `0` the server as it was | 1,890 | 1 | – | 501 | 36.3 | 50.0 MiB |
            | `0:tuned` better code, no Rust | 316 | 5.98x less [5.81, 6.17] | – | 3,010 | 6.05 | 50.0 MiB |
            | `0:free` recorded answers: the ceiling inside this server | 19 | 100x less [97.4, 103] | – | 50,200 | 0.363 | 50.0 MiB |
            | `1:pool` Rust programs, fed through pipes | 40 | 47.8x less [47.3, 48.4] | 7.99x less [7.80, 8.19] | 24,100 | 0.756 | 50.0 MiB |
            | `2:core` a Wasm module | 32 | 59.9x less [58.0, 61.9] | 10.0x less [9.90, 10.1] | 30,100 | 0.605 | 50.0 MiB |
            | `3:native` native code in the process | 32 | 60.0x less [58.9, 61.1] | 10.0x less [9.69, 10.4] | 30,100 | 0.605 | 50.0 MiB |
            | `4:server` a Rust server | 24 | 79.7x less [78.1, 81.3] | 13.3x less [13.1, 13.5] | 40,100 | 0.453 | 50.0 MiB |
            | `2:core#by-hand` another implementation of the function | 25 | 75.0x less [72.5, 77.5] | 12.5x less [12.3, 12.8] | 37,600 | 0.484 | 50.0 MiB |

            <sup>`tierup bench thumbnails --tiers all`, 5 blocks in 7 min 12 s, 64 connections, 1,000 distinct requests; 2 processors of AMD EPYC 7763, Linux 6.1.0, node 20.20.2, rustc 1.95.0, shared with the load generator; other programs took 0 % of them; 2026-11-21. [The recording](../docs/data/x.json); [the method](../docs/method.md).</sup>"#]],
        );
    }

    #[test]
    fn words() {
        check("cost 3:native", expect!["a request costs 32 us of CPU instead of 1,890: 60 times less [59, 61]"]);
        check(
            "cost 3:native 0:tuned",
            expect!["a request costs 32 us of CPU instead of 316: 10 times less [9.69, 10]"],
        );
        check("cost 0:tuned 0", expect!["x does not compare these rows"]);
        check(
            "verdict 3:native",
            expect![[
                r#"3:native against 0:tuned pays: a request costs 32 us of CPU instead of 316: 10 times less \[9.69, 10\]; 10 times the throughput of 0:tuned \[10, 10\]; against 0, 60 times less CPU, 60 times the throughput"#
            ]],
        );
        check(
            "gain",
            expect![[
                r#"Where the gain comes from: 0 takes 1,890 us of CPU a request; better Perl (0:tuned) saves 1,570 us \[1,540, 1,610\]; Rust (1:pool) saves 276 us \[269, 284\]; the crossing (2:core) saves 7.96 us \[7.05, 8.88\]; the crossing (3:native) makes no difference; a server in Rust (4:server) saves 7.78 us \[6.75, 8.82\]; of 2:core, another algorithm (2:core#<!-- -->by-hand) saves 6.35 us \[6.10, 6.59\]; a function that cost nothing would leave 19 us (0:free)."#
            ]],
        );
    }

    #[test]
    fn a_report() {
        check(
            "report 0:tuned 4:server",
            expect![[r#"
            ```
            + 0:tuned pays: a request costs 316 us of CPU instead of 1,890: 5.98 times less [5.81, 6.17]; 6.00 times the throughput of 0
              [6.00, 6.01]
            + 4:server against 0:tuned pays: a request costs 24 us of CPU instead of 316: 13 times less [13, 14]; 13 times the throughput of
              0:tuned [13, 13]; against 0, 80 times less CPU, 80 times the throughput
            => Take 1:pool: a request costs 40 us of CPU instead of 1,890: 48 times less; 48 times the throughput of 0; a function that cost
               nothing would give 100. That is 7.99 times less CPU than 0:tuned [7.80, 8.19], which has no Rust. At 501 req/s, the most that 0
               carried here, it needs 0.020 cores instead of 0.95; each step is taken to cost 0.05 cores (`step_cores`). The next step,
               2:core, would save 0.0040 cores and cost 0.05, with the same memory.
            ```"#]],
        );
    }

    #[test]
    fn missing_rows_and_kinds_are_refused() {
        check("cost 9", expect!["x has no row 9"]);
        check("words", expect!["there is no block `words` of 0 rows"]);
    }
}
