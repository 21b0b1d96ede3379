//! `tierup package` before anything is compiled: CI files, and images that cannot be made.

use std::{fs, path::Path};

use yaml_rust2::{Yaml, YamlLoader};

use crate::run;

fn project(folder: &Path, host: &str) -> std::path::PathBuf {
    assert!(run(folder, &["new", "slug", "--host", host]).starts_with("exit code: 0\n"));
    folder.join("slug")
}

#[test]
fn ci_files_are_yaml_that_calls_what_it_publishes() {
    for host in ["node", "python"] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        let project = project(folder.path(), host);
        let ci = |forge: &str| run(&project, &["package", "--host", host, "--ci", forge]);
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let said = ci("github");
        assert!(said.starts_with("exit code: 0\n") && said.contains(".github/workflows/package.yml"), "{said}");
        let text = read(".github/workflows/package.yml");
        let yaml = &YamlLoader::load_from_str(&text).unwrap()[0];
        let runs: Vec<_> =
            yaml["jobs"]["build"]["steps"].as_vec().unwrap().iter().filter_map(|it| it["run"].as_str()).collect();
        let makes = runs.last().unwrap();
        assert!(makes.starts_with(&format!("tierup package slug --host {host} --target linux-x64-gnu,")), "{makes}");
        assert_eq!(yaml["jobs"]["call"]["strategy"]["matrix"]["runner"].as_vec().unwrap().len(), 5);
        let health = if host == "node" { "checkHealth" } else { "check_health" };
        assert!(yaml["jobs"]["call"]["env"]["CALL"].as_str().unwrap().contains(health), "{text}");
        assert_eq!(yaml["jobs"]["publish"]["permissions"]["id-token"], Yaml::String("write".into()));
        let used = text.lines().filter_map(|line| line.split("uses: ").nth(1));
        for action in used {
            let hash = action.split(['@', ' ']).nth(1).unwrap();
            assert!(hash.len() == 40 && action.contains(" # v"), "{action}");
        }

        assert!(ci("gitlab").starts_with("exit code: 0\n"));
        let yaml = &YamlLoader::load_from_str(&read(".gitlab-ci.yml")).unwrap()[0];
        // In `variables`, GitLab would replace `$tier`.
        assert!(yaml[".package:call"]["script"][1].as_str().unwrap().contains(health));
        assert!(yaml[".package:call"]["variables"].is_badvalue());
        assert!(text.contains("pypi") || text.contains("publish --access public ./dist/"), "{text}");
        assert!(!yaml["package:publish"]["script"].as_vec().unwrap().is_empty());

        fs::write(folder.path().join(".gitlab-ci.yml"), "own: {}\n").unwrap();
        assert!(ci("gitlab").contains(".gitlab-ci.yml is there, and differs from what tierup writes"));
        assert_eq!(read(".gitlab-ci.yml"), "own: {}\n");
    }
}

#[test]
fn what_cannot_be_made_is_refused_with_a_reason() {
    let refused = |host: &str, words: &[&str], reason: &str| {
        let folder = tempfile::tempdir().unwrap();
        let project = project(folder.path(), host);
        if host == "node" {
            fs::write(project.join("node/pnpm-lock.yaml"), "").unwrap();
        }
        let said = run(&project, &[&["package", "--host", host], words].concat());
        assert!(said.starts_with("exit code: 2\n") && said.contains(reason), "{said}");
        assert!(!project.join("Dockerfile").exists() && !project.join("dist").exists());
    };
    refused("node", &["--image"], "its server's dependencies are installed by pnpm (by pnpm-lock.yaml)");
    refused("python", &["--image", "scratch", "--tier", "3"], "packages do not have 3 on this system");
    refused("go", &["--image", "alpine"], "add --tier 2");
    refused("php", &["--image"], "a package of this host has no image yet; `--tier 4` needs none");
    refused("go", &["--ci", "github"], "no CI file for Go");
    let vendored = tempfile::tempdir().unwrap();
    let server = project(vendored.path(), "go");
    fs::create_dir(server.join("go/vendor")).unwrap();
    fs::write(server.join("go/vendor/modules.txt"), "").unwrap();
    assert!(run(&server, &["package", "--host", "go", "--image"]).contains("its vendor/ has the function"));
    let own = tempfile::tempdir().unwrap();
    let server = project(own.path(), "node");
    fs::write(server.join("Dockerfile"), "FROM own\n").unwrap();
    let said = run(&server, &["package", "--host", "node", "--image"]);
    assert!(said.contains("Dockerfile is there, and differs") && !server.join(".tierup/package").exists(), "{said}");
}
