//! Drives Chromium by the Chrome DevTools Protocol over a pipe: messages of JSON, each ended by a zero byte. In:
//! addresses, JavaScript and keys. Out: values, the page's complaints, and its network requests.

use std::{
    collections::VecDeque,
    fs,
    io::{BufRead as _, BufReader, PipeWriter, Write as _, pipe},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use command_fds::{CommandFdExt as _, FdMapping};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The names of Chromium's program in different distributions.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Longer than any answer takes on a busy machine. Ends a test that would wait forever.
const PATIENCE: Duration = Duration::from_secs(120);

/// An opened page from the disk.
pub(crate) struct Opened {
    pub(crate) browser: Browser,
    pub(crate) address: String,
    pub(crate) _folder: TempDir,
}

pub(crate) fn open(page: &str) -> Opened {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("page.html");
    fs::write(&path, page).expect("the temporary folder can be written to");
    let address = format!("file://{}", path.display());
    let mut browser = Browser::start();
    browser.open(&address);
    Opened { browser, address, _folder: folder }
}

pub(crate) struct Browser {
    process: Child,
    commands: PipeWriter,
    messages: Receiver<Value>,
    /// The events that arrived during the wait for an answer.
    events: VecDeque<Value>,
    seen: Vec<Value>,
    session: Option<String>,
    last: u64,
    _profile: TempDir,
}

impl Browser {
    /// A browser without a window, with an empty page.
    pub(crate) fn start() -> Browser {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let mut browser = NAMES
            .iter()
            .find_map(|name| Browser::started(name, profile.path().to_str()?))
            .map(|(process, commands, messages)| Browser {
                process,
                commands,
                messages,
                events: VecDeque::new(),
                seen: Vec::new(),
                session: None,
                last: 0,
                _profile: profile,
            })
            .expect("Chromium is needed: sudo apt-get install chromium");
        let page = browser.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.ask("Target.attachToTarget", attach)["sessionId"].as_str().map(str::to_owned);
        browser.session = session;
        for area in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{area}.enable"), json!({}));
        }
        browser.resize(1280);
        browser
    }

    /// Opens an address, and waits until the page is loaded.
    pub(crate) fn open(&mut self, address: &str) {
        let answer = self.ask("Page.navigate", json!({ "url": address }));
        assert_eq!(answer["errorText"], json!(null), "{address}");
        loop {
            let event = self.events.pop_front().unwrap_or_else(|| self.message());
            let loaded = event["method"] == "Page.loadEventFired";
            self.seen.push(event);
            if loaded {
                return;
            }
        }
    }

    /// The value of an expression; a promise is awaited.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.ask("Runtime.evaluate", parameters);
        assert_eq!(answer["exceptionDetails"], json!(null), "{expression}");
        answer["result"]["value"].clone()
    }

    /// Presses and releases a key, with the text that it types.
    pub(crate) fn press(&mut self, key: &str, text: &str) {
        self.ask("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": key, "code": key, "text": text }));
        self.ask("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key, "code": key }));
    }

    /// Makes the screen this many CSS pixels wide.
    pub(crate) fn resize(&mut self, width: u32) {
        let screen = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", screen);
    }

    /// Sets the preferred colour scheme: `light` or `dark`.
    pub(crate) fn prefer(&mut self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.ask("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// Shows the page as it is printed.
    pub(crate) fn print(&mut self) {
        self.ask("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    }

    /// Exceptions, messages on the console, and entries of the browser's own log: violated policies, failed loads.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        self.settle();
        let complaints = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
        let found = self.seen.iter().filter(|event| complaints.iter().any(|method| event["method"] == *method));
        found.map(|event| event["params"].to_string()).collect()
    }

    /// Every address that the page requested.
    pub(crate) fn requests(&mut self) -> Vec<String> {
        self.settle();
        let sent = self.seen.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.filter_map(|event| event["params"]["request"]["url"].as_str().map(str::to_owned)).collect()
    }

    /// Waits for one more answer. As messages arrive in order, all earlier events are here then.
    pub(crate) fn settle(&mut self) {
        self.evaluate("new Promise((resolve) => requestAnimationFrame(() => resolve(0)))");
        self.seen.extend(self.events.drain(..));
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut command = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        self.commands.write_all(format!("{command}\0").as_bytes()).expect("Chromium reads its commands");
        loop {
            let message = self.message();
            if message["id"] == json!(self.last) {
                assert_eq!(message["error"], json!(null), "{method}");
                return message["result"].clone();
            }
            self.events.push_back(message);
        }
    }

    fn message(&mut self) -> Value {
        self.messages.recv_timeout(PATIENCE).expect("Chromium answers")
    }

    /// `None` if there is no such program.
    fn started(name: &str, profile: &str) -> Option<(Child, PipeWriter, Receiver<Value>)> {
        let (its_commands, commands) = pipe().ok()?;
        let (answers, its_answers) = pipe().ok()?;
        let mut command = Command::new(name);
        // Chromium has no sandbox for a container's root, and /dev/shm is small there.
        command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]);
        command.args(["--remote-debugging-pipe", &format!("--user-data-dir={profile}")]);
        // If Chromium is killed, the files that it leaves behind are removed together with its profile.
        command.env("TMPDIR", profile);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let pipes = [(its_commands.into(), 3), (its_answers.into(), 4)];
        let pipes = pipes.into_iter().map(|(parent_fd, child_fd)| FdMapping { parent_fd, child_fd });
        command.fd_mappings(pipes.collect()).ok()?;
        let process = command.spawn().ok()?;
        let (sender, messages) = channel();
        thread::spawn(move || {
            for message in BufReader::new(answers).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("Chromium writes JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Some((process, commands, messages))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Kills it if it does not end by itself. The wait is needed in both cases, so that the profile can be removed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
