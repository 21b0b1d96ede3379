//! One run, from its rows to its report.

use std::{
    path::PathBuf,
    sync::Arc,
    thread::available_parallelism,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tierup_bench::{
    analysis::{Group, Verdict, analyse},
    plan::{Plan, PlannedRow},
    record::{A_STEP, Check, Cost, Estimate, Heading, Record},
    report::{RunReport, html},
    run::{Error, run},
};
use tierup_check::Comparison;
use tierup_codegen::quoted;
use tierup_project::{Loaded, Source, requests};
use tierup_requests::Mix;
use tierup_rows::{Answers, hold, planned, planned_commits, versions};
use tierup_runner::{Interrupts, Observer as _, private::FolderOwner};
use tierup_subject::open_files;

use super::{Format, Method, Output, ProjectRows, Watcher};

use crate::{
    console::Console,
    failure::{Failure, Result},
    project_page::{self, ChapterOf},
};

/// A run to measure.
pub(crate) struct Bench {
    title: String,
    rows: Rows,
    /// The requests, unless the user names a file.
    source: Source,
    /// The folder for reports, unless the user names one.
    folder: PathBuf,
    format: Format,
    /// The chapter of the project's page for this run.
    chapter: Option<ChapterOf>,
    /// Earlier estimates, to show beside the measured limit.
    estimates: Vec<Estimate>,
}

enum Rows {
    /// Running servers.
    Standing(Vec<PlannedRow>),
    /// Rows of a project, not built yet.
    Project(ProjectRows),
    /// The rows of a project at an earlier commit, and of its working tree.
    Commits(Box<[ProjectRows; 2]>),
}

impl Rows {
    /// The project whose settings and requests apply.
    fn project(&self) -> Option<&ProjectRows> {
        match self {
            Rows::Standing(_) => None,
            Rows::Project(rows) => Some(rows),
            Rows::Commits(commits) => Some(&commits[1]),
        }
    }
}

const CONNECTIONS: u16 = 100;
const TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for a server's first answer.
const PATIENCE: Duration = Duration::from_secs(30);

impl Bench {
    /// Running servers, with this path and query as the request.
    pub(crate) fn of_standing(rows: Vec<PlannedRow>, target: String, format: Format) -> Bench {
        let title = rows.iter().map(|planned| planned.row.label.as_str()).collect::<Vec<_>>().join(" and ");
        let (source, folder) = (Source::Target(target), PathBuf::from("tierup-report"));
        Bench { title, rows: Rows::Standing(rows), source, folder, format, chapter: None, estimates: Vec::new() }
    }

    /// A project's rows, with reports in this folder of `.tierup/`.
    pub(crate) fn of_project(rows: ProjectRows, folder: &str, chapter: ChapterOf, format: Format) -> Bench {
        let loaded = &rows.loaded;
        Bench {
            title: loaded.project.interface.package.clone(),
            source: Source::Project(loaded.folder.clone()),
            folder: loaded.work.join(folder),
            rows: Rows::Project(rows),
            format,
            chapter: Some(chapter),
            estimates: Vec::new(),
        }
    }

    /// A project at an earlier commit, and its working tree.
    pub(crate) fn of_commits([base, head]: [ProjectRows; 2], title: String) -> Bench {
        let loaded = Arc::clone(&head.loaded);
        Bench {
            title,
            source: Source::Project(loaded.folder.clone()),
            folder: loaded.work.join("ci"),
            rows: Rows::Commits(Box::new([base, head])),
            format: Format::Markdown,
            chapter: None,
            estimates: Vec::new(),
        }
    }

    /// Adds earlier estimates.
    pub(crate) fn beside(self, estimates: Vec<Estimate>) -> Bench {
        Bench { estimates, ..self }
    }

    /// Measures, shows the report, and returns a failure if a row failed.
    pub(crate) fn run(self, method: &Method, console: &mut Console) -> Result<()> {
        let (format, chapter) = (self.format, self.chapter);
        let loaded = self.rows.project().map(|rows| Arc::clone(&rows.loaded));
        let (record, output) = self.measure(method, console)?;
        let shown = format.show(&record, console);
        let kept = output.say_where("report.html", console);
        if let (Some(loaded), Some(chapter)) = (&loaded, chapter) {
            keep_chapter(loaded, chapter, &record, console);
        }
        // A failed row takes precedence over a report that could not be shown.
        verdict(&record).and(kept).and(shown)
    }

    /// Builds what is missing, measures, and keeps the reports.
    ///
    /// # Errors
    /// Nothing was measured.
    pub(crate) fn measure(self, method: &Method, console: &mut Console) -> Result<(Record, Output)> {
        let loaded = self.rows.project().map(|rows| Arc::clone(&rows.loaded));
        let settings = loaded.as_ref().map(|loaded| loaded.bench.clone()).unwrap_or_default();
        let method = method.with(&settings);
        let hosts = self.rows.project().map_or(1, |rows| rows.hosts.len());
        let budget = method.budget(hosts)?;
        let seed = method.seed.unwrap_or_else(seed);
        let source = method.requests.clone().map_or(self.source, Source::File);
        let (requests, source) = requests(&source, seed, console)?;
        let requests = match method.skew {
            Some(_) if requests.mix == Mix::Recorded => {
                return Err(Failure::usage(format!("{source} is a recording, whose order `skew` would replace"))
                    .hint("leave out `skew`, or write a .http file with the requests"));
            }
            Some(exponent) => requests.skewed(exponent, seed),
            None => requests,
        };
        let mut output = match method.output.clone() {
            Some(folder) => Output::new(folder, FolderOwner::Named)?,
            None => Output::new(self.folder, FolderOwner::Ours)?,
        };
        let check = loaded.as_ref().map(|loaded| loaded.check.clone()).unwrap_or_default();
        let root = loaded.as_ref().map_or_else(|| PathBuf::from("."), |loaded| loaded.folder.clone());
        let mut comparison = Answers(Comparison::new(check, root));
        let connections = usize::from(method.connections.unwrap_or(CONNECTIONS));
        open_enough(connections, loaded.is_some(), console)?;
        // The build comes last, as it may take minutes: other errors are found before it.
        let mut held: Vec<Arc<Loaded>> = loaded.iter().cloned().collect();
        let rows = match self.rows {
            Rows::Standing(rows) => rows,
            Rows::Project(rows) => planned(&rows, console)?,
            Rows::Commits(commits) => {
                held.push(Arc::clone(&commits[0].loaded));
                planned_commits(&commits[0], &commits[1], console)?
            }
        };
        // All blocks measure the same files, so other builds must wait. So must other benchmarks, which would disturb
        // this one.
        let _held: Vec<_> = held.iter().map(|loaded| hold(loaded, console)).collect::<Result<_>>()?;
        let processors = available_parallelism().map_or(1, |count| count.get());
        let versions = loaded.as_deref().map(versions).unwrap_or_default();
        let heading = Heading { title: self.title, command: command_line(), versions, estimates: self.estimates };
        let mut plan = Plan {
            heading,
            source,
            requests,
            rows,
            budget,
            connections,
            workers: method.load_threads.map_or(load_threads(processors), usize::from),
            rate: method.rate,
            timeout: method.timeout.unwrap_or(TIMEOUT),
            patience: PATIENCE,
            processors: method.cpuset.clone(),
            seed,
            threshold: method.threshold.unwrap_or(1.05),
            step_cores: settings.step_cores.unwrap_or(A_STEP),
            cost: settings.cost.map(cost),
        };
        let interrupts = Interrupts::watch();
        let record = {
            let mut watcher = Watcher { console, interrupts: &interrupts, output: &mut output };
            run(&mut plan, &mut comparison, &mut watcher)
        };
        console.done();
        let record = record.map_err(not_measured)?;
        output.keep(&record, console);
        Ok((record, output))
    }
}

/// Keeps the run as a chapter of the project's page: in full, or without drawings if another run has them.
fn keep_chapter(loaded: &Loaded, chapter: ChapterOf, record: &Record, console: &Console) {
    let record = &record.masked(&|text| console.masked(text));
    let analysis = analyse(record);
    let run = RunReport::new(record, &analysis);
    let page = if chapter == ChapterOf::Bench { html::page(run) } else { html::brief(run) };
    let named = |group: &Group| {
        let recommendation = group.recommendation.as_ref()?;
        Some(if group.name.is_empty() { recommendation.clone() } else { format!("{}: {recommendation}", group.name) })
    };
    project_page::keep(loaded, chapter, page, analysis.groups.iter().filter_map(named).collect(), console);
}

/// Reserves open files for this many connections, or names the limit that prevents them.
pub(crate) fn open_enough(connections: usize, starts: bool, console: &Console) -> Result<()> {
    let reserved = open_files::reserve(connections).map_err(|few| {
        let hint = format!("give at most --connections {}, or raise the limit: `ulimit -Hn`", few.most_connections());
        Failure::new(few.to_string()).hint(hint)
    })?;
    if let Some(found) = reserved.found.filter(|found| starts && *found < reserved.needed) {
        console.note(&format!(
            "servers are started with a limit of {found} open files, as this shell has it: one that does not raise it \
             by itself cannot hold {connections} connections (`ulimit -n {}` before tierup raises it for all)",
            reserved.needed
        ));
    }
    Ok(())
}

/// The reason for the exit code: a row that failed, or a run that was cut short.
fn verdict(record: &Record) -> Result<()> {
    if record.provenance.interrupted {
        return Err(Failure::Interrupted);
    }
    let analysis = analyse(record);
    let verdicts = analysis.groups.iter().flat_map(|group| &group.verdicts);
    let failed = verdicts.filter(|sentence| sentence.verdict == Verdict::Failed).map(|sentence| sentence.row);
    let lost = analysis.groups.iter().map(|group| group.reference).filter(|row| analysis.rows[*row].failed());
    let all: Vec<_> = lost.chain(failed).map(|row| &analysis.rows[row]).collect();
    if all.is_empty() {
        return Ok(());
    }
    let labels: Vec<&str> = all.iter().map(|row| row.label.as_str()).collect();
    let message = format!("these rows failed: {}", labels.join(", "));
    // A row that answers differently is a result (exit code 1); a row that could not be measured is none (3).
    let differ = all.iter().any(|row| matches!(row.check, Check::Different { .. }));
    Err(if differ { Failure::no(message) } else { Failure::new(message) })
}

/// The reason why nothing was measured.
pub(crate) fn not_measured(error: Error) -> Failure {
    let message = error.to_string();
    match error {
        Error::Interrupted => Failure::Interrupted,
        Error::NothingRuns { trouble, .. } => Failure::new(message).output(trouble.log),
        Error::AllRefused { .. } => Failure::new(message)
            .hint("a benchmark needs requests with successful answers; name others with --requests"),
        Error::NoRequests => Failure::usage(message),
    }
}

/// The settings of `[bench.cost]` as the record keeps them.
fn cost(settings: tierup_project::Cost) -> Cost {
    let tierup_project::Cost { peak, vcpu_hour, gib_hour, currency, utilisation, pod_vcpus, pod_gib, least_pods } =
        settings;
    Cost { peak, vcpu_hour, gib_hour, currency, utilisation, pod_vcpus, pod_gib, least_pods }
}

/// One thread gets too little time beside a server that keeps every processor busy; many threads take time from the
/// server.
pub(crate) fn load_threads(processors: usize) -> usize {
    (processors / 2).max(2).min(processors)
}

/// A seed from the clock. The report names it, to repeat the run.
pub(crate) fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos()) ^ now.as_secs()
}

/// The command line, quoted for a shell.
pub(crate) fn command_line() -> String {
    let mut words = std::env::args_os();
    let program =
        words.next().map(PathBuf::from).and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    std::iter::once(program.unwrap_or_else(|| "tierup".to_owned()))
        .chain(words.map(|word| quoted(&word.to_string_lossy())))
        .collect::<Vec<_>>()
        .join(" ")
}
