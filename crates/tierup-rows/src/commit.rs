//! A commit of the repository that a project is in, written to a folder of its own: what the working tree is compared with.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use tierup_codegen::Command;
use tierup_diagnostic::{Failure, Result};
use tierup_runner::{
    Lock, Observer, capture, capture_with,
    private::{FolderOwner, make_folder},
};

use crate::{build_folder::cache_folder, golden::sha256};

/// The files of a commit, for as long as it exists; another tierup that wants a commit of the same repository waits.
pub struct Commit {
    /// The project's folder as it was.
    pub project: PathBuf,
    /// The commit's name, short.
    pub name: String,
    _lock: Lock,
}

impl Commit {
    /// Writes the files that a revision (`main`, `HEAD~1`, a hash) has. They are outside the repository, so that no workspace of it
    /// takes them in, and the repository itself is not changed: neither its index nor its list of worktrees. Files of the same
    /// commit are kept for the next time, with what was built of them.
    ///
    /// # Errors
    /// Where the folder is in no repository of git, or the repository does not have the revision.
    pub fn of(project: &Path, revision: &str, observer: &dyn Observer) -> Result<Commit> {
        Commit::in_cache(&cache_folder(project), project, revision, observer)
    }

    fn in_cache(cache: &Path, project: &Path, revision: &str, observer: &dyn Observer) -> Result<Commit> {
        let git = |words: &[&str]| {
            let answer = capture(&Command::new("git", words.iter().copied()), project)?;
            Ok::<_, tierup_runner::Error>(answer.trim_end_matches('\n').to_owned())
        };
        let top = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
        let within = git(&["rev-parse", "--show-prefix"])?;
        let named = format!("{revision}^{{commit}}");
        let commit = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &named]).map_err(|error| {
            let hint = "in CI, fetch it first: `git fetch --depth 1 origin COMMIT`";
            Failure::usage(format!("this repository has no commit `{revision}`")).caused_by(error).hint(hint)
        })?;
        let repository = sha256(top.as_os_str().as_encoded_bytes());
        let folder = cache.join("commits").join(&repository[..16]);
        let made =
            |error| Failure::because(format!("cannot write the files of {revision}: {}", folder.display()), error);
        make_folder(&folder, FolderOwner::Ours).map_err(made)?;
        let waits = |holder: &str| {
            observer.note(&format!("{holder} uses a commit of this repository; waiting until it is done"))
        };
        let lock = Lock::take(&folder.join("lock"), "`tierup ci`", waits)?;
        let (tree, whose) = (folder.join("tree"), folder.join("commit"));
        if fs::read_to_string(&whose).ok().as_deref() != Some(&commit) {
            let gone = |removed: io::Result<()>| match removed {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
            gone(fs::remove_file(&whose)).and_then(|()| gone(fs::remove_dir_all(&tree))).map_err(made)?;
            // An index of its own: the user's is not touched.
            let index = [("GIT_INDEX_FILE".to_owned(), folder.join("index").display().to_string())];
            let prefix = format!("--prefix={}/", tree.display());
            for words in [&["read-tree", &commit][..], &["checkout-index", "--all", "--force", &prefix]] {
                capture_with(&Command::new("git", words.iter().copied()), &top, &index)?;
            }
            fs::write(&whose, &commit).map_err(made)?;
        }
        let name = git(&["rev-parse", "--short", &commit])?;
        Ok(Commit { project: tree.join(within), name, _lock: lock })
    }
}

#[cfg(test)]
mod tests {
    use std::process;

    use tempfile::TempDir;
    use tierup_runner::Quiet;

    use super::*;

    fn git(folder: &Path, words: &str) -> String {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let output = process::Command::new("git").args(identity).args(words.split(' ')).current_dir(folder).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    }

    /// A repository whose project is in a folder, with a commit for each of these contents of `a`.
    fn repository(contents: &[&str]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), "init --quiet --initial-branch main");
        fs::create_dir(folder.path().join("project")).unwrap();
        fs::write(folder.path().join(".gitattributes"), "b export-ignore\n").unwrap();
        fs::write(folder.path().join("b"), "beside").unwrap();
        for content in contents {
            fs::write(folder.path().join("project/a"), content).unwrap();
            git(folder.path(), "add .");
            git(folder.path(), "commit --quiet --message one");
        }
        folder
    }

    fn read(commit: &Commit, name: &str) -> String {
        fs::read_to_string(commit.project.join(name)).unwrap()
    }

    #[test]
    fn a_commit_is_written_elsewhere_and_the_repository_stays_as_it_is() {
        let (folder, cache) = (repository(&["first", "second"]), tempfile::tempdir().unwrap());
        let project = folder.path().join("project");
        fs::write(project.join("a"), "not committed").unwrap();
        fs::write(project.join("new"), "").unwrap();
        git(folder.path(), "add project/new");
        let state = |folder: &Path| git(folder, "status --porcelain") + &git(folder, "worktree list");
        let before = state(folder.path());
        let of = |revision| Commit::in_cache(cache.path(), &project, revision, &Quiet).unwrap();
        {
            let first = of("main~1");
            assert_eq!((&*read(&first, "a"), &*read(&first, "../b")), ("first", "beside"));
            assert!(!first.project.join("new").exists());
            fs::write(first.project.join("built"), "").unwrap();
        }
        assert!(of("main~1").project.join("built").exists(), "the same commit is kept with what was built of it");
        let second = of("HEAD");
        assert_eq!(read(&second, "a"), "second");
        assert!(!second.project.join("built").exists());
        assert_eq!(state(folder.path()), before);
    }

    #[test]
    fn what_is_no_commit_is_said() {
        let (folder, cache) = (repository(&["first"]), tempfile::tempdir().unwrap());
        let refused = |revision: &str| {
            let refused = Commit::in_cache(cache.path(), folder.path(), revision, &Quiet);
            refused.err().map(|failure| failure.to_string().lines().next().unwrap_or_default().to_owned())
        };
        assert_eq!(refused("none").as_deref(), Some("error: this repository has no commit `none`"));
        assert_eq!(refused("--all").as_deref(), Some("error: this repository has no commit `--all`"));
        assert_eq!(refused("main"), None);
    }
}
