//! Turns a sensor's texts into frames. In: a function's name, file and line as a sensor writes them, and the host's
//! rules. Out: a [`Frame`], which says whose code it is. Texts are cut to a length that a page and a terminal can show.

use tierup_codegen::{FramePart, FrameRule, Owner, PackageEnds, Pattern};

use crate::{
    profile::{Frame, Kind, Profile},
    source_maps::SourceMaps,
};

/// The longest name or path that is kept, in characters.
const LONGEST: usize = 400;

/// How a host's frames are named.
#[derive(Debug, Clone, Copy, Default)]
pub struct Naming<'a> {
    /// The host's rules: see [`Profiling::frames`](tierup_codegen::Profiling::frames).
    pub rules: &'a [FrameRule],
    /// Prefixes of the user's own functions or files, as the user named them. If there are any, all other code is not
    /// the user's.
    pub own: &'a [String],
    /// The source maps of the running code.
    pub maps: Option<&'a SourceMaps<'a>>,
}

impl Naming<'_> {
    /// The frame of a function. `line` is 0 if unknown.
    pub fn frame(&self, function: &str, file: &str, line: u32) -> Frame {
        let path = path(file);
        let (kind, package) = self.owner(function, &path);
        Frame { function: clipped(function), file: clipped(&path), line, package, kind }
    }

    /// The frame of a text such as `write (/srv/app.py:12)` or `tcp_sendmsg_[k]`, as tools write into collapsed stacks.
    pub fn frame_of_text(&self, text: &str) -> Frame {
        let (text, kind) = without_mark(text.trim());
        if let Some(kind) = kind {
            return Frame { kind, ..self.frame(text, "", 0) };
        }
        match with_place(text) {
            Some((function, file, line)) => self.frame(function, file, line),
            None => self.frame(text, "", 0),
        }
    }

    /// How many frames of a profile these rules assign to the runtime or to a package, which identifies the host.
    pub fn knows(&self, profile: &Profile) -> usize {
        let is_known = |frame: &Frame| {
            let rule = self.rule(&frame.function, &frame.file);
            // A rule for missing names says nothing about the host.
            let says_much = |rule: &&FrameRule| !matches!(rule.pattern, Pattern::Is("") | Pattern::Without(_));
            let of_others =
                |owner: Owner| !matches!(owner, Owner::Kind(kind) if !matches!(kind, Kind::Runtime | Kind::Io));
            rule.filter(says_much).is_some_and(|rule| of_others(rule.owner))
        };
        profile.frames().filter(|(_, frame)| is_known(frame)).count()
    }

    fn owner(&self, function: &str, file: &str) -> (Kind, String) {
        if is_unnamed(function) {
            return (Kind::Unnamed, String::new());
        }
        let rule = self.rule(function, file);
        if !self.own.is_empty() {
            let is_own = self.own.iter().any(|own| begins(function, own) || begins(file, own));
            match rule.map(|rule| rule.owner) {
                Some(Owner::Kind(Kind::Entry)) if is_own => return (Kind::Entry, String::new()),
                _ if is_own => return (Kind::Own, String::new()),
                None | Some(Owner::Kind(Kind::Own | Kind::Entry)) => {
                    return (Kind::Package, clipped(&of_others(function, file)));
                }
                Some(_) => {}
            }
        }
        let Some(rule) = rule else { return (Kind::Own, String::new()) };
        match rule.owner {
            Owner::Kind(kind) => (kind, String::new()),
            Owner::Named(name) => (Kind::Package, name.to_owned()),
            Owner::Package { marker, ends } => {
                (Kind::Package, clipped(&package(looked_at(rule, function, file), marker, ends)))
            }
        }
    }

    /// The first rule that matches.
    fn rule(&self, function: &str, file: &str) -> Option<&FrameRule> {
        self.rules.iter().find(|rule| fits(rule.pattern, looked_at(rule, function, file)))
    }
}

/// The package of code outside the prefixes that the user named: by the name of the class, or by the file's folder.
fn of_others(function: &str, file: &str) -> String {
    match (function.rsplit_once('/'), file.rsplit_once('/')) {
        (Some(_), _) => package(function, "", PackageEnds::Parts(3)),
        (None, Some((folder, _))) => folder.to_owned(),
        (None, None) => function.split('.').next().unwrap_or(function).to_owned(),
    }
}

/// Whether a name begins with `own`, where `.` equals `/`: Java's classes are written both ways.
fn begins(name: &str, own: &str) -> bool {
    let alike = |one: u8, other: u8| one == other || (b"./".contains(&one) && b"./".contains(&other));
    name.len() >= own.len() && name.bytes().zip(own.bytes()).all(|(one, other)| alike(one, other))
}

fn looked_at<'a>(rule: &FrameRule, function: &'a str, file: &'a str) -> &'a str {
    match rule.part {
        FramePart::Function => function,
        FramePart::File => file,
    }
}

/// Whether a text matches a rule's pattern.
pub fn fits(pattern: Pattern, text: &str) -> bool {
    match pattern {
        Pattern::Is(whole) => text == whole,
        Pattern::Starts(start) => text.starts_with(start),
        Pattern::Ends(end) => text.ends_with(end),
        Pattern::Contains(part) => text.contains(part),
        Pattern::Without(part) => !text.contains(part),
    }
}

fn package(text: &str, marker: &str, ends: PackageEnds) -> String {
    let rest = match text.rfind(marker) {
        Some(start) if !marker.is_empty() => &text[start + marker.len()..],
        _ => text,
    };
    let parts = |count: usize, rest: &str| {
        let ends = rest.match_indices(['/', '.']).nth(count.saturating_sub(1));
        ends.map_or(rest, |(end, _)| &rest[..end]).replace('/', ".")
    };
    match ends {
        PackageEnds::Scoped => {
            let slash = usize::from(rest.starts_with('@'));
            rest.match_indices('/').nth(slash).map_or(rest, |(end, _)| &rest[..end]).to_owned()
        }
        PackageEnds::Module => {
            let name = rest.split('/').next().unwrap_or(rest);
            name.split('.').next().unwrap_or(name).to_owned()
        }
        PackageEnds::Version => rest.split('@').next().unwrap_or(rest).to_owned(),
        PackageEnds::Crate => {
            let first = rest.trim_start_matches(['<', '&']).split("::").next().unwrap_or(rest);
            // In `<F as axum::Handler>::call`, `F` is a type parameter, so the trait's crate counts.
            first.rsplit(' ').next().unwrap_or(first).to_owned()
        }
        PackageEnds::Folder => rest.rsplit_once('/').map_or(rest, |(folder, _)| folder).to_owned(),
        // Leaves out the class if a `/` precedes it.
        PackageEnds::Parts(count) => parts(usize::from(count), rest.rsplit_once('/').map_or(rest, |(name, _)| name)),
    }
}

/// Turns `file:///srv/a.js` and `C:\srv\a.js` into paths with `/`.
pub(crate) fn path(file: &str) -> String {
    file.strip_prefix("file://").unwrap_or(file).replace('\\', "/")
}

/// The owner of the frames that tierup adds for [`Kind::Unsampled`].
pub(crate) const UNSAMPLED: &str = "_[not sampled]";

/// Splits off the mark that tools append to a name: `_[k]` for the kernel, `_[j]` for compiled, `_[i]` for inlined
/// code.
fn without_mark(text: &str) -> (&str, Option<Kind>) {
    if let Some(name) = text.strip_suffix("_[k]") {
        return (name, Some(Kind::Kernel));
    }
    if let Some(name) = text.strip_suffix(UNSAMPLED) {
        return (name, Some(Kind::Unsampled));
    }
    let marks = ["_[j]", "_[i]", "_[0]", "_[1]"];
    (marks.iter().find_map(|mark| text.strip_suffix(mark)).unwrap_or(text), None)
}

/// Splits `name (file:line)`, or `name (file)` if the file has a folder or an extension.
fn with_place(text: &str) -> Option<(&str, &str, u32)> {
    let inner = text.strip_suffix(')')?;
    let (function, place) = inner.rsplit_once(" (")?;
    match place.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) if !file.is_empty() => Some((function, file, line)),
        // A name may end with parentheses, too.
        _ => (place.starts_with("native:") || place.contains(['/', '.', '\\', '<'])).then_some((function, place, 0)),
    }
}

fn is_unnamed(function: &str) -> bool {
    let is_address = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    matches!(function, "" | "[unknown]" | "unknown" | "??" | "[unknown_Java]" | "<unknown>")
        || function.strip_prefix("0x").is_some_and(is_address)
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[FrameRule] = &[
        FrameRule::NATIVE,
        FrameRule::file(Pattern::Starts("node:"), Kind::Runtime),
        FrameRule::packages("/node_modules/", PackageEnds::Scoped),
        FrameRule::packages("/site-packages/", PackageEnds::Module),
        FrameRule::packages("/pkg/mod/", PackageEnds::Version),
        FrameRule {
            part: FramePart::Function,
            pattern: Pattern::Contains("::B"),
            owner: Owner::Package { marker: "", ends: PackageEnds::Crate },
        },
        FrameRule {
            part: FramePart::Function,
            pattern: Pattern::Starts("org/"),
            owner: Owner::Package { marker: "", ends: PackageEnds::Parts(3) },
        },
    ];

    #[test]
    fn the_user_can_name_own_code() {
        let own = ["com.shop.".to_owned(), "/srv/shop/".to_owned()];
        let frame = |function: &str, file: &str| {
            let frame = Naming { rules: RULES, own: &own, maps: None }.frame(function, file, 0);
            (frame.kind, frame.package)
        };
        let package = |name: &str| (Kind::Package, name.to_owned());
        assert_eq!(frame("com/shop/Cart.total", ""), (Kind::Own, String::new()));
        assert_eq!(frame("com/lib/fast/deep/Json.read", ""), package("com.lib.fast"));
        assert_eq!(frame("kit/Json.read", ""), package("kit"));
        assert_eq!(frame("org/yaml/snake/Y.load", ""), package("org.yaml.snake"));
        assert_eq!(frame("total", "/srv/shop/cart.js"), (Kind::Own, String::new()));
        assert_eq!(frame("total", "/srv/lib/cart.js"), package("/srv/lib"));
        assert_eq!(frame("read", "node:fs"), (Kind::Runtime, String::new()));
    }

    fn check(text: &str, expected: (&str, &str, u32, Kind, &str)) {
        let Frame { function, file, line, package, kind } =
            Naming { rules: RULES, own: &[], maps: None }.frame_of_text(text);
        assert_eq!((&*function, &*file, line, kind, &*package), expected, "{text}");
    }

    #[test]
    fn texts_become_frames() {
        check("run (/srv/app.py:12)", ("run", "/srv/app.py", 12, Kind::Own, ""));
        check("run (file:///srv/a.js:3)", ("run", "/srv/a.js", 3, Kind::Own, ""));
        check("emit (node:events:517)", ("emit", "node:events", 517, Kind::Runtime, ""));
        check(
            "f (/a/node_modules/x/node_modules/@s/p/i.js:1)",
            ("f", "/a/node_modules/x/node_modules/@s/p/i.js", 1, Kind::Package, "@s/p"),
        );
        check("f (/v/site-packages/six.py:1)", ("f", "/v/site-packages/six.py", 1, Kind::Package, "six"));
        check("f (/go/pkg/mod/a.b/c@v1.2/d.go:1)", ("f", "/go/pkg/mod/a.b/c@v1.2/d.go", 1, Kind::Package, "a.b/c"));
        check("org/apache/http/A.b_[j]", ("org/apache/http/A.b", "", 0, Kind::Package, "org.apache.http"));
        check("<hyper::B as a::B>::c", ("<hyper::B as a::B>::c", "", 0, Kind::Package, "hyper"));
        check("<F as axum::B>::c", ("<F as axum::B>::c", "", 0, Kind::Package, "axum"));
        check("tcp_sendmsg_[k]", ("tcp_sendmsg", "", 0, Kind::Kernel, ""));
        check("the pool (files)_[not sampled]", ("the pool (files)", "", 0, Kind::Unsampled, ""));
        check("uv_run (native:node)", ("uv_run", "native:node", 0, Kind::Native, ""));
        check("operator() (int)", ("operator() (int)", "", 0, Kind::Own, ""));
        check("[unknown]", ("[unknown]", "", 0, Kind::Unnamed, ""));
        check("0x7f33aa", ("0x7f33aa", "", 0, Kind::Unnamed, ""));
        check("C (C:\\srv\\a.js:3)", ("C", "C:/srv/a.js", 3, Kind::Own, ""));
    }

    #[test]
    fn long_names_are_cut() {
        let frame = Naming::default().frame(&"é".repeat(1_000_000), "", 0);
        assert_eq!(frame.function.chars().count(), LONGEST + 1);
    }
}
