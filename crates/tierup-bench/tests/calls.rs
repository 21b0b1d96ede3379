//! Calls of simulated rows, whose times are known: checks the figures, and what is left out.

use std::{cell::Cell, rc::Rc, time::Duration};

use tierup_bench::{
    calls::{
        Budget, Callable, Called, Plan, PlannedCalls, PlannedFunction, Refusal,
        figures::{Figures, RowFigures},
        record::{Answers, CallsRow, Record},
        run,
    },
    observer::{Event, Observer},
    record::Heading,
    report::{markdown, text},
};
use tierup_report::text::{Colour, Style};

/// A simulated row: the nanoseconds of a call with the argument list of this number, and its answer or why it has none.
#[derive(Clone, Copy)]
struct Pretended {
    nanoseconds: fn(usize) -> u64,
    answer: fn(usize) -> Result<Vec<u8>, Refusal>,
}

impl Callable for Pretended {
    fn call(&mut self, _function: usize, arguments: usize, repeat: u32) -> Result<Called, Refusal> {
        let elapsed = Duration::from_nanos((self.nanoseconds)(arguments) * u64::from(repeat));
        Ok(Called { elapsed, answer: (self.answer)(arguments)? })
    }
}

/// Interrupts after this many checks for an interruption.
struct Watcher {
    patience: Rc<Cell<usize>>,
    troubles: Vec<String>,
}

impl Observer<Record> for Watcher {
    fn sees(&mut self, event: &Event<'_>) {
        if let Event::Trouble { row, function: Some(function), why } = event {
            self.troubles.push(format!("{row} {function}: {why}"));
        }
    }

    fn kept(&mut self, _record: &Record) {}

    fn interrupted(&self) -> bool {
        self.patience.set(self.patience.get().saturating_sub(1));
        self.patience.get() == 0
    }
}

/// Ten argument lists; the function refuses the fourth.
fn right(arguments: usize) -> Result<Vec<u8>, Refusal> {
    match arguments {
        3 => Err(Refusal::Call("four is too many".into())),
        _ => Ok(vec![0; arguments]),
    }
}

fn measured(rows: Vec<(&str, Answers, Pretended)>, patience: usize) -> (Record, Vec<String>) {
    let rows = rows.into_iter().enumerate().map(|(number, (label, answers, pretended))| PlannedCalls {
        row: CallsRow { label: label.into(), group: String::new(), is_reference: number == 1, answers },
        start: Box::new(move || Ok(Box::new(pretended))),
    });
    let function = PlannedFunction { name: "draw".into(), arguments: 10, source: "requests.http".into() };
    let mut plan = Plan {
        heading: Heading {
            title: "thumbnails".into(),
            command: "tierup bench --in-process".into(),
            versions: vec![],
            estimates: vec![],
        },
        notes: vec!["a note".into()],
        functions: vec![function],
        rows: rows.collect(),
        budget: Budget { blocks: 3, rounds: 6, ..Budget::default() },
        seed: 1,
    };
    let mut watcher = Watcher { patience: Rc::new(Cell::new(patience)), troubles: vec![] };
    let record = run(&mut plan, &mut watcher).expect("something was timed");
    (record, watcher.troubles)
}

fn close(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found / expected - 1.0).abs() < 1e-6)
}

#[test]
fn figures_equal_the_times_that_rows_were_made_to_take() {
    let alone = Pretended { nanoseconds: |list| 1000 + 100 * list as u64, answer: right };
    let slow = Pretended { nanoseconds: |list| 10_000 + 1000 * list as u64, ..alone };
    let fast = Pretended { nanoseconds: |list| 1500 + 100 * list as u64, ..alone };
    let wrong = Pretended { answer: |list| right(list).map(|_| vec![0; 2]), ..alone };
    let ends = Pretended { answer: |_| Err(Refusal::Process("signal 11".into())), ..alone };
    let rows = vec![
        ("rust", Answers::Alike, alone),
        ("0", Answers::Own, slow),
        ("3:native", Answers::Alike, fast),
        ("2:core", Answers::Alike, wrong),
        ("1:pool", Answers::Alike, ends),
    ];
    let (record, troubles) = measured(rows, usize::MAX);
    let function = &record.functions[0];
    assert_eq!(function.timed, [0, 1, 2, 4, 5, 6, 7, 8, 9]);
    assert_eq!((function.refused, function.left_out), (1, 0));
    assert_eq!(
        troubles,
        ["2:core draw: 8 of 9 answers differ from those of the function called from Rust", "1:pool draw: signal 11"]
    );
    let figures = Figures::new(&record);
    let [rust, zero, native, core, pool] = &figures.functions[0].rows[..] else { panic!("five rows") };
    // The mean of the nine lists' numbers is 42 / 9.
    let mean = 42.0 / 9.0;
    assert!(close(rust.seconds.map(|figure| figure.value), (1000.0 + 100.0 * mean) * 1e-9), "{rust:?}");
    assert!(close(zero.of_alone, 10.0), "{zero:?}");
    assert!(close(native.over_alone.map(|figure| figure.value), 500e-9), "{native:?}");
    assert!(close(
        native.of_reference.map(|figure| figure.value),
        (1500.0 + 100.0 * mean) / (10_000.0 + 1000.0 * mean)
    ));
    assert_eq!((rust.of_reference, zero.of_reference, rust.over_alone), (None, None, None));
    assert_eq!([core, pool], [&RowFigures::default(); 2]);
    assert_eq!(figures.comparisons, 3);
    assert!(close(function.rows[2].answer_bytes, mean));

    let style = Style { width: Some(100), colour: Colour::Plain };
    for report in [text::render_calls(&record, &figures, style), markdown::render_calls(&record, &figures)] {
        for said in
            ["draw", "9 argument lists from requests.http; 1 more answered with an error", "signal 11", "a note"]
        {
            assert!(report.contains(said), "{said}\n{report}");
        }
    }
}

#[test]
fn slow_calls_are_timed_with_fewer_argument_lists() {
    let alone = Pretended { nanoseconds: |_| 1_000_000, answer: |_| Ok(vec![]) };
    let slow = Pretended { nanoseconds: |_| 300_000_000, ..alone };
    let (record, _) = measured(vec![("rust", Answers::Alike, alone), ("0", Answers::Own, slow)], usize::MAX);
    assert_eq!(record.functions[0].timed, [0, 1, 2]);
    assert_eq!(record.functions[0].left_out, 7);
}

#[test]
fn an_interrupted_run_reports_what_it_has_measured() {
    let alone = Pretended { nanoseconds: |_| 10_000_000, answer: |_| Ok(vec![]) };
    let rows = || vec![("rust", Answers::Alike, alone), ("0", Answers::Own, alone)];
    // A run interrupted in its first block has no interval. In the second block, only the finished first one counts.
    for (patience, blocks) in [(100, 1), (180, 2)] {
        let (record, _) = measured(rows(), patience);
        assert!(record.provenance.interrupted);
        assert_eq!(record.blocks.len(), blocks);
        let figures = Figures::new(&record);
        let rust = &figures.functions[0].rows[0];
        assert!(close(rust.seconds.map(|figure| figure.value), 0.01), "{rust:?}");
        assert_eq!(rust.blocks.len(), 1);
        assert!(rust.seconds.is_some_and(|figure| figure.interval.is_none()));
    }
}
