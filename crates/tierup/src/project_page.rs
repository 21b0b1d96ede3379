//! The page of a project, `.tierup/report.html`, with a chapter per command that has run, from the profile to the
//! shadow. In: a command's page. Out: the chapter, stored as data in `.tierup/page/`, and all chapters as one page.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tierup_project::{Loaded, shown};
use tierup_report::html::{Chapter, Chapters, Outcome, Page, Step};
use tierup_runner::{
    Lock, Observer as _,
    private::{self, FolderOwner, make_folder},
};

use crate::console::Console;

/// The commands that have a chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChapterOf {
    Profile,
    Ceiling,
    Check,
    Bench,
    Shadow,
}

/// All chapters, in the order of the work.
const ALL: [ChapterOf; 5] =
    [ChapterOf::Profile, ChapterOf::Ceiling, ChapterOf::Check, ChapterOf::Bench, ChapterOf::Shadow];

/// A command's file in `.tierup/page/`.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The conclusions, with costs if `[bench.cost]` has prices.
    conclusions: Vec<String>,
    chapter: Chapter,
}

impl ChapterOf {
    fn id(self) -> &'static str {
        match self {
            ChapterOf::Profile => "profile",
            ChapterOf::Ceiling => "ceiling",
            ChapterOf::Check => "check",
            ChapterOf::Bench => "bench",
            ChapterOf::Shadow => "shadow",
        }
    }

    fn title(self) -> &'static str {
        match self {
            ChapterOf::Profile => "Profile",
            ChapterOf::Ceiling => "Ceiling",
            ChapterOf::Check => "Check",
            ChapterOf::Bench => "Benchmark",
            ChapterOf::Shadow => "Shadow",
        }
    }

    fn command(self) -> String {
        let more = if self == ChapterOf::Shadow { " --candidate ROW" } else { "" };
        format!("tierup {}{more}", self.id())
    }
}

/// Stores a command's page as a chapter, and writes the project's page. A failure is only a note, so that the command's
/// own result counts.
pub(crate) fn keep(loaded: &Loaded, of: ChapterOf, page: Page, conclusions: Vec<String>, console: &Console) {
    let file = loaded.work.join("report.html");
    let kept = Kept { conclusions, chapter: page.into() };
    match write(loaded, of, &kept, &file) {
        Ok(()) => console.note(&format!("the page of this project: {}", shown(&file))),
        Err(error) => console.note(&format!("cannot write the page of this project: {}: {error}", shown(&file))),
    }
}

fn write(loaded: &Loaded, of: ChapterOf, kept: &Kept, file: &Path) -> std::io::Result<()> {
    make_folder(&loaded.work, FolderOwner::Ours)?;
    let folder = loaded.work.join("page");
    make_folder(&folder, FolderOwner::Ours)?;
    // Another command may finish at the same time.
    let _one = Lock::take(&folder.join("lock"), "the page", |_| {}).map_err(std::io::Error::other)?;
    private::write(&folder.join(format!("{}.json", of.id())), &serde_json::to_vec(kept)?)?;
    let read = |of: ChapterOf| -> Option<Kept> {
        let text = std::fs::read(folder.join(format!("{}.json", of.id()))).ok()?;
        serde_json::from_slice(&text).ok()
    };
    let page = joined(&loaded.project.interface.package, ALL.map(|of| (of, read(of))));
    private::write(file, page.as_bytes())
}

/// Joins the chapters. The conclusions are those of the benchmark, else of the ceiling, else of the profile.
fn joined(name: &str, all: [(ChapterOf, Option<Kept>); 5]) -> String {
    let measured = [ChapterOf::Bench, ChapterOf::Ceiling, ChapterOf::Profile];
    let of = |wanted: &ChapterOf| all.iter().find(|(of, kept)| of == wanted && kept.is_some());
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
