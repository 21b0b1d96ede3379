//! `tierup package --image`: the steps of its Dockerfile, and the server that is left.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use tierup_runner::port;

use crate::{
    dockerfile::{Stage, carry_out},
    passed, tierup,
};

/// A project whose package was made.
pub(crate) fn a_node_server_runs_from_its_image(project: &Path) {
    let image = |more: &[&str]| {
        let options = ["package", "--host", "node", "--image"].into_iter().chain(more.iter().copied());
        tierup(project, &options.collect::<Vec<_>>()).output().unwrap()
    };
    let said = passed("package --image", &image(&[]));
    assert!(said.ends_with("\ndocker run --rm --init --publish 8080:8080 slug\n"), "{said}");
    let dockerfile = project.join("Dockerfile");
    let own = fs::read_to_string(&dockerfile).unwrap() + "# My own line.\n";
    fs::write(&dockerfile, &own).unwrap();
    let refused = image(&[]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && said.contains("Dockerfile is there, and differs"), "{said}");
    assert_eq!(fs::read_to_string(&dockerfile).unwrap(), own);
    passed("package --image --force", &image(&["--force"]));
    fs::write(project.join("node/.env.local"), "a secret").unwrap();
    answers_from(project, "tier 3:native");
}

/// A project whose gem was made. Bundler installs the server's gems.
pub(crate) fn a_ruby_server_runs_from_its_image(project: &Path) {
    let image = || tierup(project, &["package", "--host", "ruby", "--image"]).output().unwrap();
    let server = project.join("ruby");
    passed("stub", &tierup(project, &["stub"]).output().unwrap());
    fs::write(server.join("Gemfile"), "gem \"green_slug\", path: \"../tierup/green-slug\"\n").unwrap();
    let refused = String::from_utf8_lossy(&image().stderr).into_owned();
    assert!(refused.contains("has a Gemfile and no Gemfile.lock"), "{refused}");
    let locked = Command::new("bundle").args(["lock", "--local"]).current_dir(&server).output().unwrap();
    passed("bundle lock", &locked);
    let settings = fs::read_to_string(project.join("tierup.toml")).unwrap();
    let start = "start = [\"bundle\", \"exec\", \"ruby\", \"server.rb\"]";
    fs::write(project.join("tierup.toml"), settings.replace("start = [\"ruby\", \"server.rb\"]", start)).unwrap();
    passed("package --image", &image());
    answers_from(project, "tier 3:native");
}

/// A project whose Maven repository was made.
pub(crate) fn a_java_server_runs_from_its_image(project: &Path) {
    passed("package --image", &tierup(project, &["package", "--host", "java", "--image"]).output().unwrap());
    answers_from(project, "tier 3:native");
}

/// Carries the Dockerfile out, looks at what is left, and starts it.
fn answers_from(project: &Path, tier: &str) {
    let folder = tempfile::tempdir().unwrap();
    // For the image's user, whose root folder is not always there.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let image = carry_out(project, folder.path());
    let app = image.root.join(if image.root.join("app").exists() { "app" } else { "" });
    let builders = [project.display().to_string(), folder.path().display().to_string()];
    let mut count = 0;
    for path in below(&app) {
        count += 1;
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(!["cargo", "rustc", "tierup.toml", "Cargo.toml", ".env.local"].contains(&&*name), "{}", path.display());
        if let Ok(leads) = fs::read_link(&path) {
            let leads = path.parent().unwrap().join(leads).canonicalize().unwrap();
            assert!(leads.starts_with(image.root.canonicalize().unwrap()), "{} leads out", path.display());
        } else if let Ok(content) = fs::read(&path) {
            let content = String::from_utf8_lossy(&content);
            assert!(!builders.iter().any(|folder| content.contains(folder)), "{}", path.display());
        }
    }
    assert!(count > 0);
    assert_eq!(image.user, "65534:65534");

    let port = port::free().unwrap().to_string();
    let mut server = start(&image, &image.start, &port);
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.strip_prefix("listening on http://").unwrap_or_else(|| panic!("it said: {line}"));
    assert!(address.contains(tier), "{line}");
    let address = address.split(' ').next().unwrap().replace("0.0.0.0", "127.0.0.1");
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");

    let asks = || start(&image, &image.healthcheck, &port).0.wait().unwrap().code();
    assert_eq!(asks(), Some(0));
    drop(server);
    assert_eq!(asks(), Some(1));
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() && !path.is_symlink() { below(&path) } else { vec![path] }).collect()
}

/// Ends with the test, however that ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a program of the image, as its user if this test is root's, and then with the image as root folder unless the program is a language
/// of many files that only this machine has. On this machine others may use the image's port.
fn start(image: &Stage, words: &[String], port: &str) -> Running {
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let has_more = ["bundle", "java", "ruby"].contains(&&*words[0]);
    let is_inside = is_root && (image.is_whole || !has_more);
    let program = if words[0].starts_with('/') && !is_inside { image.here(&words[0]) } else { (&words[0]).into() };
    let mut command = if is_root {
        let user = image.user.split(':').next().unwrap();
        let mut command = Command::new("unshare");
        if is_inside {
            command.arg("--root").arg(&image.root);
        }
        let folder = if is_inside { PathBuf::from(&image.workdir) } else { image.here("") };
        command.arg("--wd").arg(folder).args(["--setgid", user, "--setuid", user]).arg(program);
        command
    } else {
        let mut command = Command::new(program);
        command.current_dir(image.here(""));
        command
    };
    if is_inside && !image.is_whole {
        stand_in(&words[0], &image.root);
    }
    command.args(&words[1..]).env_clear().env("PATH", env::var_os("PATH").unwrap());
    let app = image.root.join("app").display().to_string();
    let here = |value: &str| if is_inside { value.to_owned() } else { value.replace("/app", &app) };
    command.envs(image.variables.iter().map(|(name, value)| (name, here(value)))).env("PORT", port);
    Running(command.stdout(Stdio::piped()).spawn().unwrap())
}

/// A program of this machine with the libraries that it loads, for an image of a language that is not there.
fn stand_in(program: &str, root: &Path) {
    let path = env::var_os("PATH").unwrap();
    let Some(program) = env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file()) else {
        return;
    };
    let loads = String::from_utf8(Command::new("ldd").arg(&program).output().unwrap().stdout).unwrap();
    let libraries = loads.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from);
    for file in libraries.chain([program]) {
        let to = root.join(file.strip_prefix("/").unwrap());
        if to.exists() {
            continue;
        }
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(&file, to).unwrap();
    }
}
