//! A report of `tierup bench --in-process`, as far as the atlas reads it. In: `docs/data/atlas/FUNCTION/HOST.SIZE.json`.
//! Out: the times of each row, block by block.

use serde::Deserialize;

/// One run: the calls of one function in one host.
#[derive(Debug)]
pub(super) struct Report {
    /// When it began, RFC 3339.
    pub(super) began: String,
    pub(super) environment: Environment,
    pub(super) rows: Vec<Row>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Environment {
    pub(super) processor: String,
    pub(super) processors: f64,
    pub(super) kernel: String,
    /// Programs, and their versions.
    pub(super) versions: Vec<(String, String)>,
    before: Busyness,
    after: Busyness,
}

#[derive(Debug, Deserialize)]
struct Busyness {
    others: f64,
    stolen: f64,
}

/// A row that was timed.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// `0`, `0:tuned`, `3:native`.
    pub(super) label: String,
    /// Seconds of a call, in each block.
    pub(super) blocks: Vec<f64>,
    /// Seconds of a call, over all blocks.
    pub(super) seconds: f64,
    /// Seconds more than the function called from Rust.
    pub(super) crossing: f64,
}

impl Row {
    /// Whether the row is one without the project's Rust function.
    pub(super) fn is_library(&self) -> bool {
        self.label == "0" || self.label.starts_with("0:")
    }
}

impl Environment {
    /// The share of one processor that others took, at rest before or after the run: other programs, or a hypervisor.
    pub(super) fn others(&self) -> f64 {
        [&self.before, &self.after].iter().map(|it| it.others.max(it.stolen)).fold(0.0, f64::max)
    }
}

/// The report as it is written.
#[derive(Deserialize)]
struct Written {
    began: String,
    environment: Environment,
    interrupted: bool,
    settings: Settings,
    rows: Vec<WrittenRow>,
    functions: Vec<WrittenFunction>,
    figures: Figures,
}

#[derive(Deserialize)]
struct Settings {
    quick: bool,
}

#[derive(Deserialize)]
struct WrittenRow {
    label: String,
}

#[derive(Deserialize)]
struct WrittenFunction {
    name: String,
    rows: Vec<Checked>,
}

#[derive(Deserialize)]
struct Checked {
    trouble: Option<String>,
}

#[derive(Deserialize)]
struct Figures {
    functions: Vec<FunctionFigures>,
}

#[derive(Deserialize)]
struct FunctionFigures {
    rows: Vec<RowFigures>,
}

#[derive(Deserialize)]
struct RowFigures {
    blocks: Vec<f64>,
    seconds: Option<Figure>,
    over_alone: Option<Figure>,
}

#[derive(Deserialize)]
struct Figure {
    value: f64,
}

impl Report {
    /// Reads a report, without the row of the function called from Rust.
    ///
    /// # Errors
    /// The text is no such report, or one that must not be quoted: cut short, made in a hurry, or with a row that failed.
    pub(super) fn read(text: &str) -> Result<Report, String> {
        let written: Written = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if written.interrupted || written.settings.quick {
            return Err("it was interrupted, or made with --quick".to_owned());
        }
        let ([function], [figures]) = (&written.functions[..], &written.figures.functions[..]) else {
            return Err("it is not about one function".to_owned());
        };
        let mut rows = Vec::new();
        for ((row, checked), figures) in written.rows.into_iter().zip(&function.rows).zip(&figures.rows) {
            if let Some(trouble) = &checked.trouble {
                return Err(format!("`{}` of {} failed: {trouble}", row.label, function.name));
            }
            // The function called from Rust crosses nothing.
            if let (Some(seconds), Some(crossing)) = (&figures.seconds, &figures.over_alone) {
                let (seconds, crossing) = (seconds.value, crossing.value);
                rows.push(Row { label: row.label, blocks: figures.blocks.clone(), seconds, crossing });
            }
        }
        Ok(Report { began: written.began, environment: written.environment, rows })
    }
}
