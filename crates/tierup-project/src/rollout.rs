//! `[rollout]`: how the candidate takes over from the control (`docs/rollout.md`).
//!
//! In: the table. Out: [`RolloutSettings`], with defaults for what is not there.

mod plan;

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use tierup_diagnostic::Diagnostic;
use tierup_parity::Path;
use tierup_rollout::{HaProxySettings, NginxSettings, Part, Sticky, Through};
use toml::de::DeValue;

pub use self::plan::Available;
use crate::{
    document::{Document, Table, Text, finished},
    quantities::duration,
};

/// Where nginx tells what is in force, unless the project says otherwise.
const NGINX_STATUS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8099);

/// `[rollout]`.
#[derive(Debug, Clone, PartialEq)]
pub struct RolloutSettings {
    /// The candidate's weights, rising; the last is all.
    pub steps: Vec<Part>,
    /// The least time of a step.
    pub hold: Duration,
    /// The rate of bad answers that a step must be able to see: it takes at least 3 / `tolerated` answers.
    pub tolerated: Part,
    /// The candidate may give up to this many times as many bad answers as control.
    pub margin: f64,
    /// The part of the answers that may differ.
    pub mismatches: Part,
    /// The part of the candidate's safe answers that control is asked for, too.
    pub verify: Part,
    /// The part of the copies that goes to a second control process. With a half, it gets as many as the candidate, so that
    /// their latencies can be compared.
    pub second: Part,
    /// The part of the safe requests that is copied.
    pub sample: Part,
    /// What makes requests one client's; `None`: control answers all.
    pub sticky: Option<Sticky>,
    /// Patterns of paths that are never copied.
    pub deny: Vec<String>,
    /// How long requests in flight may take after an abort.
    pub drain: Duration,
    /// Requests that are copied though they change data.
    pub routes: Vec<RolloutRoute>,
    /// Whether the order of a request's calls to others counts.
    pub ordered: bool,
    /// Whether the candidate's data is apart from control's, so that calls which are not HTTP do no harm.
    pub isolated: bool,
    /// How calls to others are told apart by request.
    pub attribute: Option<Attribute>,
    /// Control processes with a downstream address of their own.
    pub lanes: u16,
    /// Fields of bodies that reach the evidence as hashes only.
    pub hide: Vec<Path>,
    pub through: Through,
    /// The address of the real service that `[downstream]` stands for: `http://payments.internal:8080`.
    pub downstream: Option<String>,
}

/// A kind of request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolloutRoute {
    pub method: String,
    /// With `*` for any characters but `/`, and `**` for any number of parts.
    pub path: String,
}

impl fmt::Display for RolloutRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// How a call to another service is known to belong to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// The server forwards this header.
    Header(String),
    /// The process had no other request at that time.
    Lane,
}

impl Default for RolloutSettings {
    fn default() -> RolloutSettings {
        let percent = |hundredths| Part::of_ten_thousand(hundredths).unwrap_or(Part::ALL);
        RolloutSettings {
            steps: [100, 500, 2500, 5000, 10_000].map(percent).to_vec(),
            hold: Duration::from_secs(600),
            tolerated: percent(10),
            margin: 1.25,
            mismatches: Part::NONE,
            verify: percent(1000),
            second: percent(5000),
            sample: Part::ALL,
            sticky: None,
            deny: Vec::new(),
            drain: Duration::from_secs(30),
            routes: Vec::new(),
            ordered: false,
            isolated: false,
            attribute: None,
            lanes: 2,
            hide: Vec::new(),
            through: Through::Tierup,
            downstream: None,
        }
    }
}

/// Reads `[rollout]` of a project that has `[downstream]`, or has not.
pub(crate) fn read(table: &Table<'_>, document: &Document, has_downstream: bool) -> RolloutSettings {
    let reader = Reader { table, document };
    let or = RolloutSettings::default();
    if table.has("downstream") && !has_downstream {
        let hint = "`[downstream]` says which variable tells the server the address";
        reader.problem::<()>("downstream", "`[rollout.downstream]` needs `[downstream]`", hint);
    }
    let downstream = table.table("downstream").and_then(|table| {
        finished(&table, |table| {
            let address = table.required_text("address")?;
            reader.http(&address);
            Some(address.value)
        })
    });
    let sticky = reader.sticky();
    RolloutSettings {
        steps: reader.steps().unwrap_or(or.steps),
        hold: reader.time("hold").unwrap_or(or.hold),
        tolerated: reader.some_part("tolerated").unwrap_or(or.tolerated),
        margin: reader.factor("margin").unwrap_or(or.margin),
        mismatches: reader.part("mismatches").unwrap_or(or.mismatches),
        verify: reader.part("verify").unwrap_or(or.verify),
        second: reader.part("second").unwrap_or(or.second),
        sample: reader.some_part("sample").unwrap_or(or.sample),
        through: reader.through(sticky.clone()).unwrap_or_default(),
        sticky,
        deny: reader.deny(),
        drain: reader.time("drain").unwrap_or(or.drain),
        routes: reader.routes(),
        ordered: table.flag("ordered").unwrap_or(or.ordered),
        isolated: table.flag("isolated").unwrap_or(or.isolated),
        attribute: reader.attribute(),
        lanes: reader.lanes().unwrap_or(or.lanes),
        hide: reader.hide(),
        downstream,
    }
}

struct Reader<'a> {
    table: &'a Table<'a>,
    document: &'a Document,
}

impl Reader<'_> {
    /// Weights that rise to all.
    fn steps(&self) -> Option<Vec<Part>> {
        let texts = self.table.texts("steps")?;
        let steps: Vec<Part> = texts.iter().map(|text| self.part_of("steps", text)).collect::<Option<_>>()?;
        let rises =
            steps.is_sorted_by(|low, high| low < high) && steps.first().is_some_and(|first| *first > Part::NONE);
        if rises && steps.last() == Some(&Part::ALL) {
            return Some(steps);
        }
        self.problem(
            "steps",
            "`steps` must rise, from above 0% to 100%",
            "e.g. [\"1%\", \"5%\", \"25%\", \"50%\", \"100%\"]",
        )
    }

    fn part(&self, key: &'static str) -> Option<Part> {
        let text = self.table.text(key)?;
        self.part_of(key, &text)
    }

    /// A part above nothing.
    fn some_part(&self, key: &'static str) -> Option<Part> {
        let part = self.part(key)?;
        if part > Part::NONE {
            return Some(part);
        }
        self.problem(key, &format!("`{key}` must be above 0%"), "the smallest part is 0.01%")
    }

    fn part_of(&self, key: &str, text: &Text) -> Option<Part> {
        let read = text.value.parse();
        let add = |error| {
            let problem = Diagnostic::new(format!("`{key}`: {error}"));
            self.document.add(problem.at(self.document.place(&text.span)));
        };
        read.map_err(|error: tierup_rollout::PartError| add(error)).ok()
    }

    fn time(&self, key: &'static str) -> Option<Duration> {
        let text = self.table.text(key)?;
        let add = |why| self.document.add(Diagnostic::new(format!("`{key}`: {why}")).at(self.table.place(key)));
        duration(&text.value).map_err(add).ok()
    }

    /// A number from 1 on.
    fn factor(&self, key: &'static str) -> Option<f64> {
        let number = match self.table.value(key)?.get_ref() {
            DeValue::Integer(number) => number.as_str().parse::<f64>().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        let fits = number.filter(|number| number.is_finite() && *number >= 1.0);
        fits.or_else(|| {
            self.problem(key, &format!("`{key}` must be a factor of at least 1"), "e.g. 1.25 for 25 % more")
        })
    }

    fn lanes(&self) -> Option<u16> {
        let number = match self.table.value("lanes")?.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok().filter(|lanes| (1..=64).contains(lanes)),
            _ => None,
        };
        number
            .or_else(|| self.problem("lanes", "`lanes` must be a whole number from 1 to 64", "each lane is a process"))
    }

    fn sticky(&self) -> Option<Sticky> {
        let text = self.table.text("sticky")?;
        text.value.parse().ok().or_else(|| {
            self.problem(
                "sticky",
                "`sticky` must name a cookie, a header or the client's address",
                "e.g. \"cookie:session\", \"header:x-user-id\" or \"address\"",
            )
        })
    }

    fn attribute(&self) -> Option<Attribute> {
        let text = self.table.text("attribute")?;
        match text.value.split_once(':') {
            None if text.value == "lane" => Some(Attribute::Lane),
            Some(("header", name)) if is_token(name) => Some(Attribute::Header(name.to_ascii_lowercase())),
            _ => self.problem(
                "attribute",
                "`attribute` must name a header that the server forwards, or be \"lane\"",
                "e.g. \"header:traceparent\"",
            ),
        }
    }

    fn deny(&self) -> Vec<String> {
        let texts = self.table.texts("deny").unwrap_or_default();
        for text in texts.iter().filter(|text| !is_pattern(&text.value)) {
            self.no_pattern("deny", text);
        }
        texts.into_iter().map(|text| text.value).collect()
    }

    fn routes(&self) -> Vec<RolloutRoute> {
        let texts = self.table.texts("routes").unwrap_or_default();
        let read = |text: &Text| {
            let problem = |message: String, hint: &str| {
                let problem = Diagnostic::new(message).at(self.document.place(&text.span));
                self.document.add(problem.hint(hint.to_owned()));
            };
            let (method, path) = text.value.split_once(' ').unwrap_or((&text.value, ""));
            if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) || path.is_empty() {
                problem(format!("`{}` is not a method and a path", text.value), "e.g. \"POST /orders\"");
                return None;
            }
            if matches!(method, "GET" | "HEAD") {
                problem(format!("`routes` cannot name {method}"), "GET and HEAD requests are copied without it");
                return None;
            }
            if !is_pattern(path) {
                self.no_pattern("routes", text);
                return None;
            }
            Some(RolloutRoute { method: method.to_owned(), path: path.to_owned() })
        };
        texts.iter().filter_map(read).collect()
    }

    fn no_pattern(&self, key: &str, text: &Text) {
        let problem = Diagnostic::new(format!("`{key}`: `{}` is not a pattern of paths", text.value));
        let hint = "a pattern starts with `/`; `*` stands for characters of one part, `**` for any number of parts";
        self.document.add(problem.at(self.document.place(&text.span)).hint(hint.to_owned()));
    }

    fn hide(&self) -> Vec<Path> {
        let read = |text: &Text| {
            let add = |error: tierup_parity::PathError| {
                self.document.add(Diagnostic::new(error.to_string()).at(self.document.place(&text.span)));
            };
            text.value.parse().map_err(add).ok()
        };
        self.table.texts("hide").unwrap_or_default().iter().filter_map(read).collect()
    }

    fn through(&self, sticky: Option<Sticky>) -> Option<Through> {
        let name = self.table.text("through");
        let haproxy = self.table.table("haproxy").and_then(|table| {
            finished(&table, |table| {
                let (socket, backend) = (table.required_text("socket"), table.required_text("backend"));
                let map = path(table, "map", "/etc/haproxy/tierup.map");
                let (socket, backend) = (socket?.value.into(), backend?.value);
                Some(Through::HaProxy(HaProxySettings { socket, backend, map, sticky: sticky.clone()? }))
            })
        });
        let nginx = self.table.table("nginx").and_then(|table| {
            finished(&table, |table| {
                let split = table.required_text("split");
                let log = path(table, "log", "/var/log/nginx/tierup.log");
                let status = self.loopback(table, "status", NGINX_STATUS);
                let test = self.command(table, "test", &["nginx", "-t"]);
                let reload = self.command(table, "reload", &["nginx", "-s", "reload"]);
                let (split, sticky) = (split?.value.into(), sticky.clone()?);
                Some(Through::Nginx(NginxSettings { split, log, status: status?, sticky, test, reload }))
            })
        });
        let name = name.as_ref().map_or("tierup", |text| &text.value);
        for (table, example) in [("haproxy", "through = \"haproxy\""), ("nginx", "through = \"nginx\"")] {
            if self.table.has(table) && name != table {
                let message = format!("`[rollout.{table}]` only applies to `{example}`");
                self.problem::<()>(table, &message, &format!("add `{example}` to `[rollout]`"));
            } else if !self.table.has(table) && name == table {
                let message = format!("`through = \"{table}\"` needs `[rollout.{table}]`");
                self.problem::<()>("through", &message, "docs/load-balancers.md explains its keys");
            }
        }
        if matches!(name, "haproxy" | "nginx") && !self.table.has("sticky") {
            let message = format!("`through = \"{name}\"` needs `sticky`");
            self.problem::<()>("through", &message, "a request that is no client's stays with the control");
        }
        match name {
            "tierup" => Some(Through::Tierup),
            "haproxy" => haproxy,
            "nginx" => nginx,
            _ => {
                let message = "`through` must be one of \"tierup\", \"haproxy\", \"nginx\"";
                self.problem("through", message, "docs/rollout.md explains each value")
            }
        }
    }

    /// An address that only this machine reaches.
    fn loopback(&self, table: &Table<'_>, key: &'static str, or: SocketAddr) -> Option<SocketAddr> {
        let Some(text) = table.text(key) else { return Some(or) };
        let address = text.value.parse::<SocketAddr>().ok().filter(|address| address.ip().is_loopback());
        if address.is_none() {
            let problem =
                Diagnostic::new(format!("`{key}` must be a loopback address and a port, got `{}`", text.value));
            self.document.add(problem.at(table.place(key)).hint(format!("e.g. \"{or}\"")));
        }
        address
    }

    /// A program and its arguments.
    fn command(&self, table: &Table<'_>, key: &'static str, or: &[&str]) -> Vec<String> {
        let Some(words) = table.texts(key) else { return or.iter().map(|word| (*word).to_owned()).collect() };
        if words.first().is_none_or(|program| program.value.is_empty()) {
            let problem = Diagnostic::new(format!("`{key}` names no program")).at(table.place(key));
            self.document.add(problem.hint(format!("e.g. {or:?}")));
        }
        words.into_iter().map(|word| word.value).collect()
    }

    fn http(&self, address: &Text) {
        let host = address.value.strip_prefix("http://").unwrap_or_default();
        if host.is_empty() || host.contains(['/', '?', '#', '@', ' ']) {
            let problem = Diagnostic::new(format!("`{}` is not the address of a server", address.value));
            let hint = "give `http://HOST:PORT`, without a path";
            self.document.add(problem.at(self.document.place(&address.span)).hint(hint.to_owned()));
        }
    }

    fn problem<T>(&self, key: &str, message: &str, hint: &str) -> Option<T> {
        self.document.add(Diagnostic::new(message).at(self.table.place(key)).hint(hint.to_owned()));
        None
    }
}

fn path(table: &Table<'_>, key: &'static str, or: &str) -> PathBuf {
    table.text(key).map_or_else(|| or.to_owned(), |text| text.value).into()
}

/// Names of headers and cookies are tokens (RFC 9110, section 5.6.2; RFC 6265, section 4.1.1).
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn is_pattern(text: &str) -> bool {
    text.starts_with('/') && !text.contains(['?', '[', ']', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings of a text, or its problems.
    fn of(text: &str) -> Result<RolloutSettings, String> {
        let document = Document::new("tierup.toml".to_owned(), text.to_owned());
        let parsed = document.parse().expect("TOML");
        let root = document.root(&parsed);
        let settings = finished(&root, |root| read(root, &document, true));
        document.result().map(|()| settings).map_err(|failure| format!("{failure:?}"))
    }

    #[test]
    fn what_is_not_there_has_the_documented_default() {
        let written = r#"
            steps = ["1%", "5%", "25%", "50%", "100%"]
            hold = "10m"
            tolerated = "0.1%"
            margin = 1.25
            mismatches = "0%"
            verify = "10%"
            second = "50%"
            sample = "100%"
            deny = []
            drain = "30s"
            routes = []
            ordered = false
            isolated = false
            lanes = 2
            hide = []
            through = "tierup"
        "#;
        assert_eq!(of(written), Ok(RolloutSettings::default()));
        assert_eq!(of(""), Ok(RolloutSettings::default()));
    }

    #[test]
    fn every_key_is_read() {
        let settings = of(r#"
            steps = ["10%", "100%"]
            sticky = "header:X-User-Id"
            deny = ["/logout", "/once/**"]
            routes = ["POST /orders/*"]
            attribute = "header:traceparent"
            hide = ["$.email"]
            through = "nginx"
            nginx.split = "/etc/nginx/split.conf"
            downstream.address = "http://payments.internal:8080"
        "#)
        .expect("settings");
        assert_eq!(settings.steps, ["10%", "100%"].map(|text| text.parse().expect("a part")));
        assert_eq!(settings.sticky, Some(Sticky::Header("x-user-id".into())));
        assert_eq!(settings.deny, ["/logout", "/once/**"]);
        assert_eq!(settings.routes, [RolloutRoute { method: "POST".into(), path: "/orders/*".into() }]);
        assert_eq!(settings.attribute, Some(Attribute::Header("traceparent".into())));
        assert_eq!(settings.hide.len(), 1);
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let nginx = |sticky: Sticky, status: &str, reload: &str| {
            Through::Nginx(NginxSettings {
                split: "/etc/nginx/split.conf".into(),
                log: "/var/log/nginx/tierup.log".into(),
                status: status.parse().expect("an address"),
                sticky,
                test: words("nginx -t"),
                reload: words(reload),
            })
        };
        let header = Sticky::Header("x-user-id".into());
        assert_eq!(settings.through, nginx(header, "127.0.0.1:8099", "nginx -s reload"));
        let all = "through = \"nginx\"\nsticky = \"address\"\n[nginx]\nsplit = \"/etc/nginx/split.conf\"\nstatus = \"[::1]:81\"\n\
                   reload = [\"sudo\", \"systemctl\", \"reload\", \"nginx\"]";
        assert_eq!(
            of(all).map(|settings| settings.through),
            Ok(nginx(Sticky::Address, "[::1]:81", "sudo systemctl reload nginx"))
        );
        assert_eq!(settings.downstream.as_deref(), Some("http://payments.internal:8080"));
        let haproxy = "through = \"haproxy\"\nhaproxy = { socket = \"/run/x.sock\", backend = \"app\" }";
        assert!(of(haproxy).is_err(), "no request would be anybody's");
        let haproxy = of(&format!("sticky = \"address\"\n{haproxy}"));
        let map = "/etc/haproxy/tierup.map".into();
        let expected =
            HaProxySettings { socket: "/run/x.sock".into(), backend: "app".into(), map, sticky: Sticky::Address };
        assert_eq!(haproxy.map(|settings| settings.through), Ok(Through::HaProxy(expected)));
    }
}
