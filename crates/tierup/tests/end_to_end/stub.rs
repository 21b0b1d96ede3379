//! The committed package, as pip installs it from a clone.

use std::{fs, process::Command};

use crate::{passed, tierup};

#[test]
fn pip_installs_the_committed_package_which_loads_the_built_variant() {
    let folder = tempfile::tempdir().unwrap();
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "python"]).output().unwrap());
    let project = folder.path().join("slug");
    passed("stub", &tierup(&project, &["stub"]).output().unwrap());
    assert!(!project.join(".tierup").exists());

    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&project)
            .env_remove("TIERUP_TIER")
            .env_remove("PYTHONPATH")
            .output()
            .unwrap()
    };
    passed("venv", &run("python3", &["-m", "venv", "environment"]));
    let python = project.join("environment/bin/python").display().to_string();
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", "./tierup/slug"];
    passed("pip", &run(&python, &pip));
    fs::write(project.join("server.py"), SERVER).unwrap();
    let served = run(&python, &["server.py"]);
    let said = String::from_utf8_lossy(&served.stderr).into_owned();
    assert_eq!(passed("server.py", &served), "0 mine\n");
    assert_eq!(said, "slug: your own code runs, at tier 0, as no variant is built here: run `tierup build`\n");

    passed("build", &tierup(&project, &["build", "--tiers", "1:spawn"]).output().unwrap());
    let served = run(&python, &["server.py"]);
    let rust = passed("server.py", &served);
    assert_eq!((&*rust, &*String::from_utf8_lossy(&served.stderr)), ("1:spawn green-tea\n", ""));
}

const SERVER: &str = "import slug\n\
    rust = slug.bind(baseline={'slugify': lambda text: 'mine'})\n\
    print(rust.tier, rust.slugify('Green tea'))\n";
