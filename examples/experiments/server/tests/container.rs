//! The Dockerfile, carried out without a container engine: its steps in a folder of their own, then what is in the image.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// One stage of a Dockerfile, in a folder that stands for its root.
struct Stage {
    name: String,
    root: PathBuf,
    /// Where steps run, as the container has it.
    workdir: PathBuf,
    variables: Vec<(String, String)>,
    user: String,
    entrypoint: Vec<String>,
}

/// Carries out the instructions that the Dockerfile has; another one is a reason to teach it to this test.
fn build(context: &Path, into: &Path) -> Vec<Stage> {
    let text = fs::read_to_string(context.join("Dockerfile")).expect("there is a Dockerfile");
    let mut stages: Vec<Stage> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (instruction, rest) = line.split_once(' ').expect("an instruction says something");
        let words: Vec<&str> = rest.split_whitespace().collect();
        if instruction == "FROM" {
            let root = into.join(stages.len().to_string());
            fs::create_dir_all(&root).expect("a folder");
            let name = words.get(2).copied().unwrap_or_default().to_owned();
            let (workdir, variables) = (PathBuf::from("/"), Vec::new());
            stages.push(Stage { name, root, workdir, variables, user: String::new(), entrypoint: Vec::new() });
            continue;
        }
        let (stage, before) = stages.split_last_mut().expect("FROM comes first");
        match instruction {
            "ARG" | "ENV" => {
                let (name, value) = rest.split_once('=').expect("NAME=value");
                stage.variables.push((name.to_owned(), value.to_owned()));
            }
            "WORKDIR" => stage.workdir = PathBuf::from(rest),
            "RUN" => stage.run(rest),
            "COPY" => {
                let from = words[0].strip_prefix("--from=");
                let source = from.map_or(context, |name| {
                    let found = before.iter().find(|stage| stage.name == name);
                    &found.expect("a stage before this one").root
                });
                stage.copy(source, &words[usize::from(from.is_some())..]);
            }
            "USER" => stage.user = rest.to_owned(),
            "ENTRYPOINT" => {
                let words = rest.trim_matches(['[', ']']).split(',');
                stage.entrypoint = words.map(|word| word.trim().trim_matches('"').to_owned()).collect();
            }
            "EXPOSE" => {}
            _ => panic!("this test does not know {instruction}"),
        }
    }
    stages
}

impl Stage {
    /// A path in the container as one on this machine.
    fn here(&self, path: &Path) -> PathBuf {
        let absolute = self.workdir.join(path);
        self.root.join(absolute.strip_prefix("/").expect("it is absolute"))
    }

    fn run(&self, line: &str) {
        let folder = self.here(Path::new(""));
        fs::create_dir_all(&folder).expect("a folder");
        let mut command = Command::new("sh");
        command.args(["-ec", line]).current_dir(folder).envs(self.variables.iter().cloned());
        // Cargo tells tests of itself, which a container does not.
        for name in ["CARGO_TARGET_DIR", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
            command.env_remove(name);
        }
        assert!(command.status().expect("there is a shell").success(), "RUN {line}");
    }

    fn copy(&self, source: &Path, words: &[&str]) {
        let (to, from) = words.split_last().expect("COPY from to");
        let target = self.here(Path::new(to));
        for path in from {
            let source = source.join(path.trim_start_matches('/'));
            // A directory's content is copied, and a file into a directory keeps its name.
            let into = if to.ends_with('/') && source.is_file() { target.join(path) } else { target.clone() };
            copy_all(&source, &into);
        }
    }
}

/// Without what .dockerignore leaves out.
fn copy_all(from: &Path, to: &Path) {
    if from.is_dir() {
        for entry in fs::read_dir(from).expect("a folder").flatten() {
            if entry.file_name() != "target" {
                copy_all(&entry.path(), &to.join(entry.file_name()));
            }
        }
    } else {
        fs::create_dir_all(to.parent().expect("a file is in a folder")).expect("a folder");
        fs::copy(from, to).unwrap_or_else(|error| panic!("COPY {}: {error}", from.display()));
    }
}

/// Ends with the test, however that ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_image_is_one_static_program_that_answers() {
    let context = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().expect("a folder");
    let stages = build(&context, folder.path());
    let image = stages.last().expect("a stage");

    let files: Vec<_> = fs::read_dir(&image.root).expect("the image").flatten().collect();
    assert_eq!(files.len(), 1, "the image holds more than the server: {files:?}");
    let uid: u32 = image.user.split(':').next().and_then(|uid| uid.parse().ok()).expect("USER is a number");
    assert_ne!(uid, 0, "the server runs as root");

    let program = image.here(Path::new(&image.entrypoint[0]));
    let elf = fs::read(&program).expect("the entry point is in the image");
    assert_eq!(segments(&elf).filter(|kind| *kind == PT_INTERP).count(), 0, "it asks for a dynamic linker");
    assert!(segments(&elf).count() > 2, "no segments were read");
    assert!(elf.len() < 8 << 20, "{} bytes", elf.len());

    // As the image says, but for the address: on this machine others may use the port.
    assert!(image.variables.contains(&("HOST".into(), "0.0.0.0".into())), "only the container itself could ask it");
    let mut command = Command::new(&program);
    command.args(&image.entrypoint[1..]).env_clear().envs(image.variables.iter().cloned());
    command.envs([("HOST", "127.0.0.1"), ("PORT", "0")]).stdout(Stdio::piped());
    let mut server = Running(command.spawn().expect("the server starts"));
    let mut line = String::new();
    let output = server.0.stdout.take().expect("it is piped");
    BufReader::new(output).read_line(&mut line).expect("the server speaks");
    let address = line.strip_prefix("listening on http://").and_then(|rest| rest.split(' ').next());
    let address = address.unwrap_or_else(|| panic!("it said: {line}"));

    let body = r#"{"name":"x","variants":[{"name":"a","allocation_percent":100}]}"#;
    let mut stream = TcpStream::connect(address).expect("it listens");
    let length = body.len();
    let head =
        format!("POST /experiments HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all((head + body).as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with(body), "{answer}");
}

/// The kind of a segment that names a dynamic linker.
const PT_INTERP: u32 = 3;

/// The kinds of a 64-bit little-endian ELF file's segments (its program headers).
fn segments(elf: &[u8]) -> impl Iterator<Item = u32> {
    assert_eq!(&elf[..6], b"\x7fELF\x02\x01", "a 64-bit little-endian ELF file");
    let number = |at: usize, bytes: usize| {
        elf[at..at + bytes].iter().rev().fold(0_usize, |number, byte| number << 8 | usize::from(*byte))
    };
    let (start, size, count) = (number(0x20, 8), number(0x36, 2), number(0x38, 2));
    (0..count).map(move |index| number(start + index * size, 4) as u32)
}
