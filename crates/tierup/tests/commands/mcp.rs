//! `tierup mcp`: a client from npm lists the tools, calls them, goes too far, and changes its mind.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{brief::project, tierup};

/// What the client says of each step.
fn said(folder: &Path) -> impl Fn(&str) -> Value {
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/mcp");
    let own = folder.join("client");
    fs::create_dir(&own).unwrap();
    for file in ["client.js", "package.json", "package-lock.json"] {
        fs::copy(client.join(file), own.join(file)).unwrap();
    }
    let install = Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&own).output().unwrap();
    assert!(install.status.success(), "{}", String::from_utf8_lossy(&install.stderr));
    // The server gets the environment of `tierup` in tests.
    let mut run = Command::new("node");
    run.envs(tierup(folder, &[]).get_envs().filter_map(|(name, value)| Some((name, value?)))).env("KEY", "s3cret-env");
    run.arg("client.js").arg(env!("CARGO_BIN_EXE_tierup")).arg(folder).current_dir(&own);
    let output = run.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let steps: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    move |name| steps.iter().find(|step| step["step"] == name).unwrap_or_else(|| panic!("no {name}: {steps:?}")).clone()
}

#[test]
fn a_client_calls_commands_within_the_project() {
    let folder = project();
    let before = fs::read_dir(folder.path()).unwrap().count() + 1;
    let said = said(folder.path());
    assert_eq!(
        (said("server")["name"].as_str(), said("server")["version"].as_str()),
        (Some("tierup"), Some(env!("CARGO_PKG_VERSION")))
    );
    let tools = said("tools")["tools"].clone();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["profile", "brief", "build", "check", "bench"]);
    assert_eq!(tools[1]["annotations"]["readOnlyHint"], true);
    let check = &tools[3]["inputSchema"]["properties"];
    assert_eq!(check["only"]["enum"], json!(["functions", "servers"]));
    assert_eq!((&check["cases"]["type"], &check["hosts"]["type"]), (&"integer".into(), &"array".into()));
    assert!(check["keep"].is_null(), "it would write into corpus/");

    let brief = said("brief");
    let text = brief["text"].as_str().unwrap();
    assert!(text.starts_with("# ") && text.contains("pub fn total") && brief["isError"] == false, "{text}");
    assert!(!text.contains("s3cret"), "{text}");
    let usage = said("usage");
    assert_eq!(usage["isError"], true);
    let text = usage["text"].as_str().unwrap();
    assert!(text.starts_with("exit code 2\n") && text.contains("`lost` is not a function"), "{text}");
    for (step, why) in [
        ("option", "`out` is not an argument of brief"),
        ("type", "`only` must be a text"),
        ("tool", "there is no tool `shadow`"),
    ] {
        let thrown = said(step)["thrown"].clone();
        assert!(thrown.as_str().is_some_and(|text| text.contains(why)), "{step}: {thrown}");
    }
    assert!(said("cancelled")["thrown"].as_str().is_some_and(|text| text.contains("enough")), "{}", said("cancelled"));
    assert!(!said("progress")["lines"].as_array().unwrap().is_empty());
    assert_eq!(said("next")["isError"], false);
    let after = fs::read_dir(folder.path()).unwrap().filter(|file| file.as_ref().unwrap().file_name() != ".tierup");
    assert_eq!(after.count(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_leaves_ends_the_command_that_runs() {
    let folder = project();
    // It never listens.
    let server = "require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000)";
    fs::write(folder.path().join("server/server.js"), server).unwrap();
    let mut mcp = tierup(folder.path(), &["mcp"]);
    let mut mcp = mcp.env("KEY", "s3cret-env").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut input = mcp.stdin.take().unwrap();
    for message in [
        json!({ "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" }
        } }),
        json!({ "method": "notifications/initialized" }),
        json!({ "id": 2, "method": "tools/call", "params": { "name": "profile" } }),
    ] {
        let mut message = message;
        message["jsonrpc"] = "2.0".into();
        writeln!(input, "{message}").unwrap();
    }
    let file = folder.path().join("server/pid");
    let written = || fs::read_to_string(&file).ok().filter(|pid| !pid.is_empty());
    let looks = (0..15_000).find_map(|_| {
        thread::sleep(Duration::from_millis(20));
        written()
    });
    let pid = looks.expect("the server starts within five minutes");
    drop(input);
    assert!(mcp.wait().unwrap().success());
    assert!(!Path::new("/proc").join(pid).exists());
}
