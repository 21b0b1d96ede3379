//! Writes a commit of the project's repository to a folder of its own, to compare the working tree with it.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use tierup_codegen::Command;
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::{
    Lock, Observer, capture_without,
    private::{FolderOwner, make_folder},
};

use crate::{build_folder::cache_folder, golden::sha256};

/// The files of a commit. While it exists, other tierups that want a commit of the same repository wait.
pub struct Commit {
    /// The project's folder at this commit.
    pub project: PathBuf,
    /// The commit's short name.
    pub name: String,
    _lock: Lock,
}

/// Git sets these variables for its hooks. They name a repository, whatever the current folder is.
const OF_HOOKS: [&str; 5] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"];

impl Commit {
    /// Writes the files of the commit at which the project's branch left a revision (`main`, `HEAD~1`, a hash). They
    /// are outside the repository, so that its workspaces do not include them, and the repository stays as it is,
    /// including its index and list of worktrees. Build results of the same commit are kept for the next time.
    ///
    /// # Errors
    /// The folder is in no git repository, or the repository does not have the revision.
    pub fn parted(loaded: &Loaded, revision: &str, observer: &dyn Observer) -> Result<Commit> {
        Commit::in_cache(&cache_folder(&loaded.work), &loaded.folder, revision, observer)
    }

    fn in_cache(cache: &Path, project: &Path, revision: &str, observer: &dyn Observer) -> Result<Commit> {
        let git = |words: &[&str]| git(project, words, &[]);
        let top = git(&["rev-parse", "--show-toplevel"])?;
        let repository = git(&["rev-parse", "--absolute-git-dir"])?;
        let within = git(&["rev-parse", "--show-prefix"])?;
        let named = format!("{revision}^{{commit}}");
        let named = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &named]).map_err(|error| {
            let hint = "in CI, fetch it first: `git fetch --depth 1 origin COMMIT`";
            Failure::usage(format!("this repository has no commit `{revision}`")).caused_by(error).hint(hint)
        })?;
        // A shallow clone may not know the common commit.
        let commit = git(&["merge-base", "HEAD", &named]).unwrap_or(named);
        let folder = cache.join("commits").join(&sha256(top.as_bytes())[..16]);
        let made =
            |error| Failure::because(format!("cannot write the files of {revision}: {}", folder.display()), error);
        make_folder(&folder, FolderOwner::Ours).and_then(|()| only_for_owner(&folder)).map_err(made)?;
        let waits = |holder: &str| {
            observer.note(&format!("{holder} uses a commit of this repository; waiting until it is done"))
        };
        let lock = Lock::take(&folder.join("lock"), "`tierup ci`", waits)?;
        let (tree, whose, index) = (folder.join("tree"), folder.join("commit"), folder.join("index"));
        let own = [
            ("GIT_DIR", &*repository),
            ("GIT_WORK_TREE", &*tree.to_string_lossy()),
            ("GIT_INDEX_FILE", &*index.to_string_lossy()),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        // A killed git leaves its lock file behind.
        gone(fs::remove_file(folder.join("index.lock"))).map_err(made)?;
        if fs::read_to_string(&whose).ok().as_deref() != Some(&commit) {
            gone(fs::remove_file(&whose)).and_then(|()| gone(fs::remove_dir_all(&tree))).map_err(made)?;
            fs::create_dir_all(&tree).map_err(made)?;
            self::git(&tree, &["read-tree", &commit], &own)?;
        }
        // This also restores files of the same commit: a server may have written into its own folder.
        self::git(&tree, &["checkout-index", "--all", "--force", "--index"], &own)?;
        fs::write(&whose, &commit).map_err(made)?;
        let name = git(&["rev-parse", "--short", &commit])?;
        Ok(Commit { project: tree.join(within), name, _lock: lock })
    }
}

/// The output of a git command, which must be a line. The user's hooks do not run.
fn git(folder: &Path, words: &[&str], environment: &[(String, String)]) -> tierup_runner::Result<String> {
    let words = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"].iter().chain(words).copied();
    let said = capture_without(&Command::new("git", words), folder, environment, &OF_HOOKS)?;
    Ok(said.trim_end_matches('\n').to_owned())
}

fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Protects the files, as the repository's folder may be closed to other users.
fn only_for_owner(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
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

    /// A repository with the project in a subfolder, and with one commit for each of these contents of the file `a`.
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
    fn a_commit_is_written_elsewhere_and_leaves_the_repository_alone() {
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
        fs::write(
            cache.path().join("commits").read_dir().unwrap().next().unwrap().unwrap().path().join("index.lock"),
            "",
        )
        .unwrap();
        {
            let first = of("main~1");
            assert!(first.project.join("built").exists(), "the same commit is kept with what was built of it");
            fs::write(first.project.join("a"), "a server wrote here").unwrap();
        }
        assert_eq!(read(&of("main~1"), "a"), "first");
        let second = of("HEAD");
        assert_eq!(read(&second, "a"), "second");
        assert!(!second.project.join("built").exists());
        assert_eq!(state(folder.path()), before);
    }

    #[test]
    fn a_branch_is_compared_with_its_beginning() {
        let (folder, cache) = (repository(&["first"]), tempfile::tempdir().unwrap());
        git(folder.path(), "checkout --quiet -b other");
        fs::write(folder.path().join("project/a"), "of the branch").unwrap();
        git(folder.path(), "commit --quiet --all --message two");
        git(folder.path(), "checkout --quiet main");
        fs::write(folder.path().join("project/a"), "of main, since then").unwrap();
        git(folder.path(), "commit --quiet --all --message three");
        git(folder.path(), "checkout --quiet other");
        let commit = Commit::in_cache(cache.path(), &folder.path().join("project"), "main", &Quiet).unwrap();
        assert_eq!(read(&commit, "a"), "first");
    }

    #[test]
    fn an_unknown_commit_is_reported() {
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
