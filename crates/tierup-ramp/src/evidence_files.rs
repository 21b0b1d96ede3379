//! Reads the evidence files of all proxies, each from where the last reading ended.
//!
//! In: the folder, and each file's [`Position`]. Out: the new lines, and the positions after them. The caller stores
//! the positions together with the effect of the lines, so that no line counts twice, whenever the judge is killed.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use rustix::fs::OFlags;
use tierup_rollout::{
    evidence::Line,
    files::{ENDING, Keeping, Listed, Position, run_and_number},
};

use crate::{Error, Result, stored::Source};

/// The most bytes that are read of one file at a time. A proxy writes less in a minute.
const AT_A_TIME: u64 = 4 << 20;
/// The new lines of one file.
#[derive(Debug)]
pub(crate) struct News {
    /// The file's name in the folder.
    pub(crate) file: String,
    pub(crate) lines: Vec<Line>,
    pub(crate) position: Position,
}

/// The run of the proxy that writes the file.
pub(crate) fn run_of(file: &str) -> &str {
    run_and_number(file).0
}

/// Reads the new lines of all files. An incomplete last line is left for the next time.
///
/// # Errors
/// If the folder or a file in it cannot be read.
pub(crate) fn read(folder: &Path, sources: &BTreeMap<String, Source>) -> Result<Vec<News>> {
    let mut news = Vec::new();
    for (name, path) in files(folder)? {
        let position = sources.get(&name).map(|source| source.position).unwrap_or_default();
        if let Some((lines, position)) = next(&path, position)? {
            news.push(News { file: name, lines, position });
        }
    }
    Ok(news)
}

/// The next lines of one file, and the position after them; `None` at its end.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn next(path: &Path, position: Position) -> Result<Option<(Vec<Line>, Position)>> {
    let found = open(path).and_then(|file| file.map_or(Ok(None), |file| read_file(file, position)));
    found.map_err(Error::file("read", path))
}

/// Removes old files, and the oldest if all together are too large, but no file to which a proxy still writes.
///
/// # Errors
/// If the folder cannot be read or a file cannot be removed. All other files are removed.
pub(crate) fn remove_old(folder: &Path, keeping: &Keeping, now: SystemTime) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (name, path) in files(folder)? {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        let age = metadata.modified().ok().and_then(|modified| now.duration_since(modified).ok()).unwrap_or_default();
        found.push(Listed { name, age, bytes: metadata.len() });
    }
    let (mut removed, mut failed) = (Vec::new(), None);
    for name in keeping.old(found, 0) {
        let path = folder.join(&name);
        match fs::remove_file(&path) {
            Ok(()) => removed.push(name),
            Err(error) => failed = failed.or(Some(Error::file("remove", &path)(error))),
        }
    }
    failed.map_or(Ok(removed), Err)
}

/// The evidence files; files of one run are in the order of writing.
///
/// # Errors
/// If the folder cannot be read.
pub(crate) fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(Error::file("read", folder))?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(Error::file("read", folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).filter(|name| name.ends_with(ENDING));
        if let Some(name) = name {
            files.push((name.to_owned(), path));
        }
    }
    files.sort_by(|(one, _), (other, _)| run_and_number(one).cmp(&run_and_number(other)));
    Ok(files)
}

/// `None` if it is not a regular file, or was removed since.
fn open(path: &Path) -> io::Result<Option<File>> {
    // It follows no link, and does not wait on a pipe.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    match OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path) {
        Ok(file) => Ok(file.metadata()?.is_file().then_some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(_) if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_file(mut file: File, mut position: Position) -> io::Result<Option<(Vec<Line>, Position)>> {
    let size = file.metadata()?.size();
    if size < position.offset {
        // The file was cut. Lines that were taken in before are recognised by their numbers.
        position.offset = 0;
        position.skipping = false;
    }
    if size == position.offset {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(position.offset))?;
    let mut bytes = Vec::new();
    file.take(AT_A_TIME).read_to_end(&mut bytes)?;
    let lines = position.take(&bytes);
    Ok(Some((lines, position)))
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, os::unix::fs::symlink, time::Duration};

    use tierup_rollout::evidence::{Entry, Event};

    use super::*;

    fn line(number: u64) -> String {
        Line { number, at: 0, entry: Entry::Event(Event::Ended) }.to_text().expect("JSON")
    }

    struct Folder {
        folder: tempfile::TempDir,
        sources: BTreeMap<String, Source>,
    }

    impl Folder {
        fn new() -> Folder {
            Folder { folder: tempfile::tempdir().expect("there is room"), sources: BTreeMap::new() }
        }

        fn append(&self, name: &str, text: &str) {
            let path = self.folder.path().join(name);
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.and_then(|mut file| file.write_all(text.as_bytes())).expect("there is room");
        }

        /// The numbers of the new lines.
        fn read(&mut self) -> Vec<u64> {
            let news = read(self.folder.path(), &self.sources).expect("it can be read");
            let numbers = news.iter().flat_map(|news| news.lines.iter().map(|line| line.number)).collect();
            let sources =
                news.into_iter().map(|News { file, position, .. }| (file, Source { position, ..Source::default() }));
            self.sources.extend(sources);
            numbers
        }
    }

    #[test]
    fn each_line_is_read_once_and_an_incomplete_one_later() {
        let mut folder = Folder::new();
        assert!(folder.read().is_empty());
        let third = line(3);
        folder.append("a.jsonl", &(line(1) + &line(2) + &third[..third.len() - 4]));
        folder.append("b.jsonl", &line(1));
        folder.append("notes.txt", &line(9));
        assert_eq!(folder.read(), [1, 2, 1]);
        assert!(folder.read().is_empty());
        folder.append("a.jsonl", &third[third.len() - 4..]);
        assert_eq!(folder.read(), [3]);
        assert_eq!(folder.sources["a.jsonl"].position.number, 3);
    }

    #[test]
    fn files_of_a_run_are_read_in_the_order_of_writing() {
        let mut folder = Folder::new();
        [2, 10, 9].into_iter().for_each(|number| folder.append(&format!("run-{number}.jsonl"), &line(number)));
        assert_eq!(folder.read(), [2, 9, 10]);
    }

    #[test]
    fn a_file_that_was_cut_is_read_again_and_nothing_counts_twice() {
        let mut folder = Folder::new();
        folder.append("a.jsonl", &(line(1) + &line(2)));
        assert_eq!(folder.read(), [1, 2]);
        fs::write(folder.folder.path().join("a.jsonl"), line(2)).expect("there is room");
        assert!(folder.read().is_empty());
        folder.append("a.jsonl", &line(3));
        assert_eq!(folder.read(), [3]);
    }

    #[test]
    fn neither_links_nor_pipes_nor_folders_are_read() {
        let mut folder = Folder::new();
        let at = |name: &str| folder.folder.path().join(name);
        fs::write(at("elsewhere"), line(1)).expect("there is room");
        symlink(at("elsewhere"), at("link.jsonl")).expect("links can be made");
        symlink(at("nowhere"), at("dangling.jsonl")).expect("links can be made");
        fs::create_dir(at("folder.jsonl")).expect("there is room");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("pipe.jsonl"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .expect("pipes can be made");
        assert!(folder.read().is_empty());
    }

    #[test]
    fn old_files_are_deleted_unless_they_still_grow() {
        let folder = Folder::new();
        let day = Duration::from_secs(24 * 3600);
        let now = SystemTime::now();
        for (name, age, size) in
            [("ancient", 20 * day, 10), ("old", 2 * day, 600), ("older", 3 * day, 600), ("now", day / 48, 5_000)]
        {
            folder.append(&format!("{name}.jsonl"), &"x".repeat(size));
            let file = File::options().write(true).open(folder.folder.path().join(format!("{name}.jsonl")));
            file.and_then(|file| file.set_modified(now - age)).expect("it is ours");
        }
        let remove = |bytes| {
            let keeping = Keeping { bytes, ..Keeping::default() };
            remove_old(folder.folder.path(), &keeping, now).expect("they can be removed")
        };
        assert_eq!(remove(10_000), ["ancient.jsonl"]);
        assert_eq!(remove(6_000), ["older.jsonl"]);
        assert_eq!(remove(0), ["old.jsonl"]);
        assert_eq!(fs::read_dir(folder.folder.path()).expect("it is there").count(), 1);
    }
}
