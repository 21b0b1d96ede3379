//! Watches one function in its server. In: the server and the function. Out: the data for a new project, or the reason
//! why the function cannot move to Rust.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tierup_codegen::{Declared, Host, Row, Types, Watched};
use tierup_project::{Source, relative, requests, shown};
use tierup_requests::Set;
use tierup_runner::{Interrupts, Observer as _};
use tierup_sampling::Witnessed;
use tierup_signature::{
    Counted, Golden, Most, Seen, SentRequest, Signature, can_have_golden, counted, golden, of_declared, origins, seen,
    signature,
};

use super::{FunctionPlace, shown_file};
use crate::{
    commands::profile::taking::{
        first_line,
        server::Server,
        watched::{Sight, Watching as Watch, odd},
    },
    console::Console,
    failure::{Failure, Result},
    measure::seed,
    sources::Sources,
};

/// The server to watch.
pub(super) struct Watching<'a> {
    pub(super) host: &'static dyn Host,
    /// The project's folder.
    pub(super) project: PathBuf,
    /// The server's folder.
    pub(super) folder: PathBuf,
    pub(super) command: String,
    pub(super) prepare: Option<String>,
    pub(super) url: Option<&'a str>,
    pub(super) requests: Option<&'a Path>,
    /// Whether to leave out calls whose arguments have another type than most (`--most`).
    pub(super) most: bool,
}

/// The data for a new project.
pub(super) struct Guess {
    pub(super) signature: Signature,
    /// The file that declares the function, if another file runs.
    pub(super) source: Option<String>,
    /// The function's first line.
    pub(super) line: u32,
    pub(super) golden: Option<Golden>,
    /// The function's entry in `[host.NAME.baseline]`, if other modules can call it.
    pub(super) baseline: Option<String>,
    /// The module that exports it, if the host's files can have several.
    pub(super) owner: Option<String>,
    /// A note on converting types, if the function's types differ from the package's.
    pub(super) conversion: Option<String>,
    /// Whether the server listens on PORT.
    pub(super) takes_port: bool,
    /// The value of `[bench] requests`, if needed.
    pub(super) requests: Option<String>,
    /// The only request, if an address named it.
    pub(super) target: Option<String>,
}

impl Watching<'_> {
    /// Guesses the data for the project. Also returns which of `places` was called; the user named the last one.
    pub(super) fn guess<'p>(
        &self,
        places: &'p [FunctionPlace],
        console: &mut Console,
    ) -> Result<(Guess, &'p FunctionPlace)> {
        let place = &places[places.len() - 1];
        let server = Server::of_command(
            self.folder.clone(),
            &self.command,
            self.prepare.as_deref(),
            self.url,
            Some(self.host.name()),
        )?;
        let (source, written) = self.source(&server)?;
        let takes_port = self.url.is_none();
        let target = match &source {
            Source::Target(target) => Some(target.clone()),
            _ => None,
        };
        let subject = Subject { server: &server, source: &source };
        let declared = self.declared(place).transpose().map_err(|why| cannot_move(place, &[why]))?;
        if let Some(declared) = declared.as_ref().filter(|declared| declared.watched.is_none()) {
            let of_source = guess_of_declared(place, declared, &subject, console)?;
            return Ok((Guess { takes_port, requests: written, target, ..of_source }, place));
        }
        let functions = self.functions(places, declared.as_ref());
        let (set, Sight { witnessed, types, key }) = subject.watch(&functions, false, console)?;
        let Types { spelling, baselines } = types.ok_or_else(|| types_are_declared(place))?;

        let mut counts = counted(&witnessed.counted, places.len()).map_err(odd)?;
        let runs = counts.iter().position(|count| count.calls > 0 || count.lines.len() > 1).unwrap_or(places.len() - 1);
        let (count, place) = (counts.remove(runs), &places[runs]);
        require_calls(place, &count)?;
        let mut seen = seen(&witnessed.seen, places.len()).map_err(odd)?.remove(runs);
        if let Some(declared) = &declared {
            seen.declare(declared);
        }
        let of = |seen: &Seen| signature(&place.name, seen, spelling);
        let named = |asked: &SentRequest| match has_secret(&set, &witnessed, asked) {
            true => "a request with a value from the environment".to_owned(),
            false => format!("`{}`", asked.without_values()),
        };
        let signature = match of(&seen) {
            Ok(signature) => signature,
            Err(problems) => {
                let most = Most::find(&seen, &witnessed.asked, named);
                let (signature, rest) = self.without_odd(place, problems, most, of)?;
                seen = rest;
                signature
            }
        };
        // V8 counts an asynchronous function each time it resumes.
        let calls = if seen.waits { seen.calls() } else { count.calls };
        console.note(&format!("{} was called {calls} times in {} requests", place.name, witnessed.asked.len()));
        signature.notes.iter().for_each(|note| console.note(note));
        if seen.waits {
            console.note("its callers wait for its answer; in Rust it is a plain function, and they wait as before");
        }
        let origins = origins(&seen, &witnessed.asked, &key);
        let keep = |asked: &SentRequest| !has_secret(&set, &witnessed, asked);
        let golden = golden(&seen, &origins, &witnessed.asked, keep);
        let (baseline, owner) = tier_0(place, seen, &signature, baselines.get(runs));
        let (source, line) = match declared {
            Some(declared) => {
                let named = places.last().filter(|_| runs + 1 < places.len());
                (declared.file.or_else(|| Some(shown_file(named?, &self.project))), declared.line)
            }
            None => (None, count.line),
        };
        let (conversion, requests) = (None, written);
        let guess =
            Guess { signature, source, line, golden, baseline, owner, conversion, takes_port, requests, target };
        Ok((guess, place))
    }

    /// The functions to watch, with the declared fields.
    fn functions(&self, places: &[FunctionPlace], declared: Option<&Declared>) -> Vec<Watched> {
        let mut functions: Vec<_> = places.iter().map(|place| watched(place, &place.name)).collect();
        if let (Some(declared), Some(named)) = (declared, places.last()) {
            // The lines in a compiled file may differ from those in its source.
            let source = relative(&self.project, &named.file);
            let is_source = declared.file.as_ref().is_some_and(|file| *file == source);
            for function in &mut functions {
                function.fields = declared.watched.clone().unwrap_or_default();
                function.line = function.line.filter(|_| !is_source);
            }
        }
        functions
    }

    /// With `--most`, the signature by most calls, and these calls; else the failure.
    fn without_odd(
        &self,
        place: &FunctionPlace,
        problems: Vec<String>,
        most: Option<Most>,
        of: impl Fn(&Seen) -> std::result::Result<Signature, Vec<String>>,
    ) -> Result<(Signature, Seen)> {
        let Some(most) = most else { return Err(cannot_move(place, &problems)) };
        if self.most {
            let mut signature = of(&most.seen).map_err(|problems| cannot_move(place, &problems))?;
            signature.notes.extend(most.left_out.iter().map(|odd| format!("Left out: {odd}")));
            return Ok((signature, most.seen));
        }
        let failure = cannot_move(place, &[problems, most.left_out].concat());
        let hint = "--most takes the type of the other calls, and names the request in the generated code";
        Err(if of(&most.seen).is_ok() { failure.hint(hint) } else { failure })
    }

    /// The function's declaration, if the language has declared types.
    fn declared(&self, place: &FunctionPlace) -> Option<std::result::Result<Declared, String>> {
        let declared = Sources::new(self.host, &self.project).declared(&place.file, &place.name);
        // Without a separate declaration file, another line belongs to another function.
        let is_it =
            |declared: &Declared| declared.file.is_some() || place.line.is_none_or(|line| line == declared.line);
        declared.filter(|declared| declared.as_ref().map_or(true, is_it))
    }

    /// The source of the requests, and the value for `[bench] requests`.
    fn source(&self, server: &Server) -> Result<(Source, Option<String>)> {
        const USUAL: [&str; 2] = ["requests.http", "requests.har"];
        let of = |folder: &Path| USUAL.map(|name| folder.join(name)).into_iter().find(|file| file.is_file());
        // The server's own requests, if the project has none.
        let is_asked = server.target.is_none() && of(&self.project).is_none();
        let own = of(&self.folder).filter(|_| is_asked);
        if let Some(file) = self.requests.or(own.as_deref()) {
            let full =
                file.canonicalize().map_err(|_| Failure::usage(format!("there is no file `{}`", shown(file))))?;
            let from_project = relative(&self.project, &full);
            let is_usual = USUAL.contains(&from_project.as_str());
            return Ok((Source::File(file.to_owned()), Some(from_project).filter(|_| !is_usual)));
        }
        match &server.target {
            Some(target) => Ok((Source::Target(target.clone()), None)),
            None => Ok((Source::Project(self.project.clone()), None)),
        }
    }
}

/// The server to watch, and the requests.
struct Subject<'a> {
    server: &'a Server,
    source: &'a Source,
}

impl Subject<'_> {
    /// Starts the server, and sends the requests one at a time.
    fn watch(&self, functions: &[Watched], calls: bool, console: &mut Console) -> Result<(Set, Sight)> {
        let (set, _) = requests(self.source, seed(), console)?;
        let interrupts = Interrupts::watch();
        // Fails early, before anything is built.
        self.server.witness(&tierup_codegen::Watch { private: Path::new(""), key: "", functions, calls })?;
        self.server.build_own(&[], console)?;
        console.status("watching the function in single requests");
        let row = Row::Baseline(None);
        let longest = Duration::MAX;
        let watch = Watch { server: self.server, row: &row, requests: &set, functions, longest, calls };
        let sight = watch.watch(&interrupts, console);
        console.done();
        let sight = sight?;
        sight.witnessed.notes.iter().for_each(|note| console.note(note));
        Ok((set, sight))
    }
}

/// The guess for a function with declared types, without `[bench]` and the server's settings.
fn guess_of_declared(
    place: &FunctionPlace,
    declared: &Declared,
    subject: &Subject<'_>,
    console: &mut Console,
) -> Result<Guess> {
    let signature = of_declared(&place.name, declared).map_err(|problems| cannot_move(place, &problems))?;
    signature.notes.iter().for_each(|note| console.note(note));
    let golden = golden_of_declared(place, declared, subject, console)?;
    let Declared { line, baseline, conversion, .. } = declared.clone();
    Ok(Guess {
        signature,
        source: None,
        line,
        golden,
        baseline,
        owner: None,
        conversion,
        takes_port: false,
        requests: None,
        target: None,
    })
}

/// The `[host.NAME.baseline]` entry of a function seen in `file`, and its module, if other modules can call it.
fn tier_0(
    place: &FunctionPlace,
    seen: Seen,
    signature: &Signature,
    file: Option<&String>,
) -> (Option<String>, Option<String>) {
    let own = |owner: &String| owner.rsplit([':', '\\']).next() == Some(&place.name);
    // The owner must export this very function, or one with the package's name.
    let has_its_name = seen.exported && (signature.in_package == place.name || seen.owner.as_ref().is_some_and(own));
    let Some(file) = file.filter(|_| has_its_name) else { return (None, None) };
    let baseline = match &seen.owner {
        None => file.clone(),
        Some(owner) if file.is_empty() => owner.clone(),
        Some(owner) => format!("{file}:{owner}"),
    };
    (Some(baseline), seen.owner)
}

fn watched(place: &FunctionPlace, qualified_name: &str) -> Watched {
    let (file, qualified_name) = (place.file.display().to_string(), qualified_name.to_owned());
    Watched { file, name: place.name.clone(), qualified_name, line: place.line, fields: Vec::new() }
}

/// The golden call of a function with declared types. A project works without one, so a failing server is only a note.
fn golden_of_declared(
    place: &FunctionPlace,
    declared: &Declared,
    subject: &Subject<'_>,
    console: &mut Console,
) -> Result<Option<Golden>> {
    if !can_have_golden(declared) {
        return Ok(None);
    }
    match called(place, declared, subject, console) {
        Err(Failure::Interrupted) => Err(Failure::Interrupted),
        Err(why) => {
            console.note(&format!("there is no golden call: {}", first_line(&why)));
            Ok(None)
        }
        golden => golden,
    }
}

fn called(
    place: &FunctionPlace,
    declared: &Declared,
    subject: &Subject<'_>,
    console: &mut Console,
) -> Result<Option<Golden>> {
    let functions = [watched(place, &declared.qualified_name)];
    let (set, Sight { witnessed, key, .. }) = subject.watch(&functions, true, console)?;
    require_calls(place, &counted(&witnessed.counted, 1).map_err(odd)?[0])?;
    // A host that records no calls of this function sends nothing in the second round.
    if witnessed.seen.is_empty() {
        return Ok(None);
    }
    let calls = seen(&witnessed.seen, 1).map_err(odd)?.remove(0);
    let keep = |asked: &SentRequest| !has_secret(&set, &witnessed, asked);
    Ok(tierup_signature::golden_of_declared(declared, &calls, &witnessed.asked, &key, keep))
}

/// Whether a request has a value from the environment.
fn has_secret(set: &Set, witnessed: &Witnessed, asked: &SentRequest) -> bool {
    let place = witnessed.asked.iter().position(|one| one == asked);
    let index = place.and_then(|place| witnessed.indices.get(place));
    index.is_none_or(|index| !set.requests[*index].secrets.is_empty())
}

fn require_calls(place: &FunctionPlace, count: &Counted) -> Result<()> {
    let FunctionPlace { name, shown, .. } = place;
    if count.lines.len() > 1 {
        let lines: Vec<_> = count.lines.iter().map(|line| format!("{shown}:{name}:{line}")).collect();
        return Err(Failure::usage(format!("{shown} has several functions `{name}`"))
            .hint(format!("name one of them: {}", lines.join(", "))));
    }
    if count.calls > 0 {
        return Ok(());
    }
    let others = match count.others.is_empty() {
        true => {
            "none of its file's functions was; only the main threads of the server's processes are watched".to_owned()
        }
        false => format!("these of its file were: {}", count.others.join(", ")),
    };
    Err(Failure::new(format!("`{name}` of {shown} was not called by these requests")).hint(others))
}

/// The failure if the host reads types from the source, but found none.
fn types_are_declared(place: &FunctionPlace) -> Failure {
    Failure::new(format!("cannot read what {} declares of `{}`", place.shown, place.name))
}

fn cannot_move(place: &FunctionPlace, problems: &[String]) -> Failure {
    Failure::no(format!("`{}` cannot move to Rust as it is: {}", place.name, problems.join("; ")))
        .hint("name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these")
}
