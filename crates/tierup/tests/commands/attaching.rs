//! `tierup profile --pid`: profiles a running server. Afterwards the server still answers, and nothing is left in it.

#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{profiling::SPINNING, tierup, write};

/// A server that uses the processor without requests, as under the traffic of others; with `WORKERS`, by two workers of
/// a cluster. With `HANG`, it never returns to its event loop, so it answers nothing.
const SERVER: &str = r"'use strict';
const cluster = require('node:cluster');
const http = require('node:http');
const { hotFunction, otherFunction } = require('./spinning');
const spin = cluster.worker?.id === 2 ? otherFunction : hotFunction;

if (process.env.WORKERS && cluster.isPrimary) {
    // Each worker's inspector gets a free port. By default, it is the primary's port plus the worker's number.
    cluster.setupPrimary({ inspectPort: 0 });
    cluster.fork();
    cluster.fork();
} else {
    const server = http.createServer((request, response) => response.end(String(hotFunction(1_000_000) > 0)));
    server.listen(Number(process.env.PORT || 0), '127.0.0.1', () => {
        console.log(`port ${server.address().port}`);
        if (process.env.HANG) {
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
        }
        setInterval(spin, 10, 1_000_000);
    });
}
";

struct Server {
    process: Child,
    port: u16,
}

impl Server {
    /// The inspector listens on a free port, as other tests may use Node's default port.
    fn start(folder: &Path, environment: &[(&str, &str)]) -> Server {
        write(folder, &[("server.js", SERVER), ("spinning.js", SPINNING)]);
        let mut command = Command::new("node");
        command.args(["--inspect-port=0", "server.js"]).current_dir(folder).envs(environment.iter().copied());
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let workers = environment.iter().find(|(name, _)| *name == "WORKERS");
        let mut port = 0;
        for _ in 0..workers.map_or(1, |(_, count)| count.parse().unwrap()) {
            port = lines.next().unwrap().unwrap().strip_prefix("port ").unwrap().parse().unwrap();
        }
        Server { process, port }
    }

    fn pid(&self) -> String {
        self.process.id().to_string()
    }

    /// The server answers, and a profiler left neither an open inspector nor a connection.
    #[track_caller]
    fn is_unharmed(&mut self) {
        let connected = TcpStream::connect(("127.0.0.1", self.port));
        let mut stream = connected.unwrap_or_else(|error| panic!("{error}; it ended: {:?}", self.process.try_wait()));
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.ends_with("true"), "{answer}");
        drop(stream);
        let deadline = Instant::now() + Duration::from_secs(20);
        let mut found = (Vec::new(), Vec::new());
        while Instant::now() < deadline {
            found = (self.listening(), self.unix_sockets());
            if found == (vec![self.port], Vec::new()) {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("it listens at {:?}, and has {:?}", found.0, found.1);
    }

    fn inodes(&self) -> Vec<String> {
        let entries = fs::read_dir(format!("/proc/{}/fd", self.pid())).unwrap().flatten();
        let targets = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
        let sockets =
            targets.filter_map(|target| Some(target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()));
        sockets.collect()
    }

    fn listening(&self) -> Vec<u16> {
        let inodes = self.inodes();
        let table = fs::read_to_string(format!("/proc/{}/net/tcp", self.pid())).unwrap();
        let rows = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
        let own = rows.filter(|row| row[3] == "0A" && inodes.iter().any(|inode| inode == row[9]));
        own.map(|row| u16::from_str_radix(row[1].rsplit(':').next().unwrap(), 16).unwrap()).collect()
    }

    /// The Unix sockets connected to tierup, whose paths contain its folder.
    fn unix_sockets(&self) -> Vec<String> {
        let inodes = self.inodes();
        let table = fs::read_to_string("/proc/net/unix").unwrap();
        let of_server = table.lines().filter(|line| inodes.iter().any(|inode| line.contains(inode.as_str())));
        of_server.filter(|line| line.contains("tierup-")).map(str::to_owned).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        self.process.wait().unwrap();
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("temporary")).unwrap();
    folder
}

fn attach(folder: &Path, pid: &str, arguments: &[&str]) -> Command {
    let mut command = tierup(folder, &["profile", "--pid", pid]);
    command.args(arguments).env("TMPDIR", folder.join("temporary"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[track_caller]
fn nothing_is_left(folder: &Path) {
    let left: Vec<_> = fs::read_dir(folder.join("temporary")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn texts(output: &Output) -> (String, String) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The hot function is the first of the ranking. Its part of the time depends on what else the machine does.
#[track_caller]
fn the_hot_function_is_first(output: &Output) {
    let (out, err) = texts(output);
    assert!(output.status.success(), "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["functions"][0]["function"], "hotFunction", "{report:#}");
}

#[test]
fn a_server_is_profiled_under_its_own_traffic_and_then_under_load() {
    let folder = folder();
    let mut server = Server::start(folder.path(), &[]);
    let output = attach(folder.path(), &server.pid(), &["--duration", "3s", "--format", "json"]).output().unwrap();
    the_hot_function_is_first(&output);
    server.is_unharmed();
    nothing_is_left(folder.path());

    let url = format!("http://127.0.0.1:{}/", server.port);
    let arguments = ["--duration", "3s", "--format", "json", "--url", &url, "-c", "4"];
    let output = attach(folder.path(), &server.pid(), &arguments).output().unwrap();
    the_hot_function_is_first(&output);
    assert!(texts(&output).1.contains("cost of V8's CPU profiler"));
    server.is_unharmed();
    nothing_is_left(folder.path());
}

#[test]
fn all_workers_of_a_cluster_are_sampled() {
    let folder = folder();
    let server = Server::start(folder.path(), &[("WORKERS", "2")]);
    let output = attach(folder.path(), &server.pid(), &["--duration", "3s", "--format", "json"]).output().unwrap();
    let (found, progress) = texts(&output);
    for function in ["hotFunction", "otherFunction"] {
        assert!(found.contains(&format!("\"function\": \"{function}\"")), "{progress}{found}");
    }
    assert!(progress.contains("only its workers"), "{progress}");
    nothing_is_left(folder.path());
}

#[test]
fn ctrl_c_leaves_the_server_as_it_was() {
    let folder = folder();
    let mut server = Server::start(folder.path(), &[]);
    let mut profile = attach(folder.path(), &server.pid(), &["--duration", "60s"]).spawn().unwrap();
    let mut lines = BufReader::new(profile.stderr.take().unwrap()).lines();
    lines.by_ref().map_while(Result::ok).find(|line| line.contains("block 1")).unwrap();
    thread::sleep(Duration::from_secs(1));
    Command::new("kill").args(["-INT", &profile.id().to_string()]).status().unwrap();
    assert_eq!(profile.wait().unwrap().code(), Some(130));
    server.is_unharmed();
    nothing_is_left(folder.path());
}

#[test]
fn a_profile_ends_when_its_server_ends() {
    for is_loaded in [false, true] {
        let folder = folder();
        let mut server = Server::start(folder.path(), &[]);
        let url = format!("http://127.0.0.1:{}/", server.port);
        let loaded: &[&str] = if is_loaded { &["--url", &url] } else { &[] };
        let arguments = [&["--duration", "60s"], loaded].concat();
        let mut profile = attach(folder.path(), &server.pid(), &arguments).spawn().unwrap();
        let mut lines = BufReader::new(profile.stderr.take().unwrap()).lines();
        lines.by_ref().map_while(Result::ok).find(|line| line.contains("block 1")).unwrap();
        thread::sleep(Duration::from_secs(1));
        server.process.kill().unwrap();
        server.process.wait().unwrap();
        let said: Vec<_> = lines.map_while(Result::ok).collect();
        assert_eq!(profile.wait().unwrap().code(), Some(3));
        let expected = format!("process {} ended while it was profiled", server.pid());
        assert!(said.iter().any(|line| line.contains(&expected)), "{said:?}");
        nothing_is_left(folder.path());
    }
}

#[test]
fn a_server_that_never_answers_is_left_alone() {
    let folder = folder();
    let server = Server::start(folder.path(), &[("HANG", "1")]);
    let output = attach(folder.path(), &server.pid(), &["--duration", "3s"]).output().unwrap();
    let (_, err) = texts(&output);
    assert_eq!(output.status.code(), Some(3));
    assert!(err.contains("did not answer within 20 s"), "{err}");
    nothing_is_left(folder.path());
    // The server still waits: nothing has stopped it.
    assert!(fs::read_to_string(format!("/proc/{}/stat", server.pid())).unwrap().contains(") S "));
}

#[test]
fn processes_that_cannot_be_profiled_are_refused() {
    let folder = folder();
    let refused = |pid: &str, arguments: &[&str]| {
        let output = attach(folder.path(), pid, arguments).output().unwrap();
        assert!(matches!(output.status.code(), Some(2 | 3)), "{:?}", output.status);
        texts(&output).1
    };
    assert!(refused("4194304", &[]).contains("there is no process 4194304"));
    let mut sleeping = Command::new("sleep").arg("600").spawn().unwrap();
    let own = sleeping.id().to_string();
    assert!(refused(&own, &["--host", "node"]).contains("none of them runs `node`"));
    assert!(refused(&own, &["--host", "nodes"]).contains("there is no host `nodes`"));
    assert!(refused(&own, &["--requests", "a.http"]).contains("--url"));
    assert!(refused(&own, &["--host", "node", "--sensor", "dtrace"]).contains("--sensor perf"));
    sleeping.kill().unwrap();
    sleeping.wait().unwrap();
    nothing_is_left(folder.path());
}

/// A busy Go server that offers pprof.
const GO: &str = r#"package main

import (
	"fmt"
	"math"
	"net"
	"net/http"
	_ "net/http/pprof"
	"time"
)

//go:noinline
func hotFunction() float64 {
	sum := 0.0
	for i := 0; i < 1_000_000; i++ {
		sum += math.Sqrt(float64(i))
	}
	return sum
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			if hotFunction() < 0 {
				panic("no sum")
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	fmt.Printf("port %d\n", listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, nil))
}
"#;

#[test]
fn a_go_server_profiles_itself() {
    let folder = folder();
    let server = folder.path().join("server");
    fs::create_dir(&server).unwrap();
    fs::write(server.join("main.go"), GO).unwrap();
    fs::write(server.join("go.mod"), "module hot\n\ngo 1.21\n").unwrap();
    let built = Command::new("go").args(["build", "-o", "server", "."]).current_dir(&server).status().unwrap();
    assert!(built.success());
    let mut process = Command::new("./server").current_dir(&server).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port: u16 = line.trim().strip_prefix("port ").unwrap().parse().unwrap();
    let server = Server { process, port };
    let url = format!("http://127.0.0.1:{port}/debug/pprof");
    let pprof = |arguments: &[&str]| {
        let mut command = tierup(folder.path(), &["profile", "--duration", "5s", "--format", "json"]);
        command.args(["--pprof", &url]).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let output = pprof(&["--pid", &server.pid()]).output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["functions"][0]["function"], "main.hotFunction", "{report:#}");
    assert_eq!(report["shares_of"], "process tree");

    // Ctrl-C closes the connection, which ends the server's profile: the next one can begin.
    let mut interrupted = pprof(&[]).spawn().unwrap();
    let mut lines = BufReader::new(interrupted.stderr.take().unwrap()).lines();
    lines.by_ref().map_while(Result::ok).find(|line| line.contains("block 1")).unwrap();
    Command::new("kill").args(["-INT", &interrupted.id().to_string()]).status().unwrap();
    assert_eq!(interrupted.wait().unwrap().code(), Some(130));
    assert!(pprof(&[]).output().unwrap().status.success());
    let output =
        tierup(folder.path(), &["profile", "--pprof", &format!("http://127.0.0.1:{port}/x")]).output().unwrap();
    assert!(texts(&output).1.contains("it answered with status 404"), "{}", texts(&output).1);
    nothing_is_left(folder.path());
}

/// A Java program that uses the processor without requests.
const JAVA: &str = "final class Spin {
    static double hotFunction() {
        double sum = 0;
        for (int i = 0; i < 1_000_000; i++) {
            sum += Math.sqrt(i);
        }
        return sum;
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(\"ready\");
        while (hotFunction() > 0) {
            Thread.sleep(1);
        }
    }
}
";

#[test]
fn the_jvms_recorder_leaves_no_recording() {
    let folder = folder();
    fs::write(folder.path().join("Spin.java"), JAVA).unwrap();
    // The recorder keeps a folder here until the JVM exits; this JVM is killed instead.
    let temporary = tempfile::tempdir().unwrap();
    let mut java = Command::new("java");
    java.arg(format!("-Djava.io.tmpdir={}", temporary.path().display()));
    let mut process = java.arg("Spin.java").current_dir(folder.path()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let server = Server { process, port: 0 };
    let arguments = ["--sensor", "jfr", "--duration", "5s", "--format", "json"];
    let output = attach(folder.path(), &server.pid(), &arguments).output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["verdict"]["function"], "Spin.hotFunction", "{report:#}");
    // The number of requests is unknown.
    assert!(report["sensor"]["allocated_per_request"].is_null(), "{report:#}");
    let check = Command::new("jcmd").args([&server.pid(), "JFR.check"]).output().unwrap();
    assert!(texts(&check).0.contains("No available recordings"), "{check:?}");
    nothing_is_left(folder.path());
}
