//! The page of a project, `.tierup/report.html`: a chapter for each command that has run, from the profile to the shadow.
//! In: a command's page. Out: the chapter, kept as data in `.tierup/page/`, and all chapters as one page.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tierup_project::{Loaded, shown};
use tierup_report::html::{Chapter, Chapters, Outcome, Page, Step};
use tierup_runner::{
    Lock, Observer as _,
    private::{self, Place, make_folder},
};

use crate::console::Console;

/// The commands that have a chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Profile,
    Ceiling,
    Check,
    Bench,
    Shadow,
}

/// In the order of the work.
const ALL: [Of; 5] = [Of::Profile, Of::Ceiling, Of::Check, Of::Bench, Of::Shadow];

/// What `.tierup/page/` has of a command.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The conclusions, with the costs where `[bench.cost]` has prices.
    conclusions: Vec<String>,
    chapter: Chapter,
}

impl Of {
    fn id(self) -> &'static str {
        match self {
            Of::Profile => "profile",
            Of::Ceiling => "ceiling",
            Of::Check => "check",
            Of::Bench => "bench",
            Of::Shadow => "shadow",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Of::Profile => "Profile",
            Of::Ceiling => "Ceiling",
            Of::Check => "Check",
            Of::Bench => "Benchmark",
            Of::Shadow => "Shadow",
        }
    }

    fn command(self) -> String {
        let more = if self == Of::Shadow { " --candidate ROW" } else { "" };
        format!("tierup {}{more}", self.id())
    }
}

/// Keeps a command's page as a chapter, and writes the project's page. A failure is a note: the command's own result is
/// not lost with it.
pub(crate) fn keep(loaded: &Loaded, of: Of, page: Page, conclusions: Vec<String>, console: &Console) {
    let file = loaded.work.join("report.html");
    let kept = Kept { conclusions, chapter: page.into() };
    match write(loaded, of, &kept, &file) {
        Ok(()) => console.note(&format!("the page of this project: {}", shown(&file))),
        Err(error) => console.note(&format!("cannot write the page of this project: {}: {error}", shown(&file))),
    }
}

fn write(loaded: &Loaded, of: Of, kept: &Kept, file: &Path) -> std::io::Result<()> {
    make_folder(&loaded.work, Place::Ours)?;
    let folder = loaded.work.join("page");
    make_folder(&folder, Place::Ours)?;
    // Two commands may end at the same time.
    let _one = Lock::take(&folder.join("lock"), "the page", |_| {}).map_err(std::io::Error::other)?;
    private::write(&folder.join(format!("{}.json", of.id())), &serde_json::to_vec(kept)?)?;
    let read = |of: Of| -> Option<Kept> {
        let text = std::fs::read(folder.join(format!("{}.json", of.id()))).ok()?;
        serde_json::from_slice(&text).ok()
    };
    let page = joined(&loaded.project.interface.package, ALL.map(|of| (of, read(of))));
    private::write(file, page.as_bytes())
}

/// One page. The conclusions are those of the latest measurement.
fn joined(name: &str, all: [(Of, Option<Kept>); 5]) -> String {
    let measured = [Of::Bench, Of::Ceiling, Of::Profile];
    let of = |wanted: &Of| all.iter().find(|(of, kept)| of == wanted && kept.is_some());
    let conclusions = measured.iter().find_map(of).and_then(|(_, kept)| kept.as_ref());
    let conclusions = conclusions.map(|kept| kept.conclusions.clone()).unwrap_or_default();
    let steps = all.into_iter().map(|(of, kept)| Step {
        id: of.id(),
        title: of.title(),
        outcome: kept.map_or_else(|| Outcome::Open(of.command()), |kept| Outcome::Done(kept.chapter)),
    });
    Chapters {
        heading: name.to_owned(),
        generator: format!("tierup {}", env!("CARGO_PKG_VERSION")),
        conclusions,
        steps: steps.collect(),
    }
    .render()
}
