//! The user's project as generators see it: the settings of `tierup.toml`, already checked against the interface.

use std::path::PathBuf;

use tierup_model::Interface;

/// Everything that generators need to know about a project.
#[derive(Debug, Clone, Default)]
pub struct Project {
    pub interface: Interface,
    /// Indices into [`Interface::functions`] of pure functions: same arguments, same answer, and no effects.
    pub pure: Vec<usize>,
    /// The folder of the hot crate, absolute.
    pub crate_folder: PathBuf,
    /// The routes that tier 4 answers when tierup writes the server; may be empty.
    pub routes: Vec<Route>,
    /// Where tier 4 comes from.
    pub server: Server,
    /// The golden request, where the project has one.
    pub health: Option<Health>,
    /// The most bytes of a request's line and headers that the server replaced by tier 4 accepts.
    pub head_limit: usize,
}

/// Where tier 4 comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Server {
    /// Written by tierup from the routes.
    Generated,
    /// The user's own crate, by its absolute folder.
    Own { folder: PathBuf },
    /// There are neither routes nor a crate.
    #[default]
    None,
}

/// `[[route]]`: a request and the function that answers it. Every name in it is known to exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// `GET`, `POST`, …
    pub method: String,
    /// The path with its captures, e.g. `/shapes/{id}`.
    pub path: String,
    /// Query parameters in order: the key in the URL, and the function's parameter that it fills.
    pub query: Vec<(String, String)>,
    /// The parameters that the request's body fills.
    pub body: Option<Body>,
    /// Index into [`Interface::functions`].
    pub function: usize,
    /// Whether the function may wait for an async runtime (`block_on`). Such a function must not run on a thread that
    /// is already inside one.
    pub blocking: bool,
    /// The answer's content type; by default JSON, or `application/octet-stream` for bytes, `text/plain` for text.
    pub content_type: Option<String>,
    /// How the fields of records are named in a JSON body and in a JSON answer.
    pub keys: Keys,
    /// The maximum length of text or bytes, in bytes, by parameter.
    pub max_bytes: Vec<(String, u64)>,
    /// The messages in the answers to bad input.
    pub messages: RouteMessages,
}

/// The parameters that a request's body fills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// One parameter: `application/json`, or raw for text and bytes.
    Parameter(String),
    /// Several parameters, each from the member of a JSON object with the same name.
    Members(Vec<String>),
}

impl Body {
    /// The parameters that the body fills.
    pub fn parameters(&self) -> &[String] {
        match self {
            Body::Parameter(name) => std::slice::from_ref(name),
            Body::Members(names) => names,
        }
    }
}

impl Route {
    /// Parameters that the body fills, each as a member of a JSON object.
    pub fn members(&self) -> &[String] {
        match &self.body {
            Some(Body::Members(names)) => names,
            _ => &[],
        }
    }

    /// The parameter that the whole body fills.
    pub fn whole_body(&self) -> Option<&str> {
        match &self.body {
            Some(Body::Parameter(name)) => Some(name),
            _ => None,
        }
    }
}

/// How JSON names the fields of records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keys {
    /// As Rust does: `due_date`.
    #[default]
    SnakeCase,
    /// As JavaScript does, by [`crate::camel_case`]: `dueDate`.
    CamelCase,
}

/// `[route.messages]`: the user's messages for bad input, so that tier 4 answers as the old server did. If one is
/// `None`, tierup's own message names the parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouteMessages {
    /// A parameter is absent, empty or given twice.
    pub missing: Option<String>,
    /// A parameter is longer than `max_bytes`.
    pub too_long: Option<String>,
    /// Broken percent-encoding, text that is not UTF-8, or an invalid number.
    pub malformed: Option<String>,
    /// The function returned `Err`; by default its own message.
    pub failed: Option<String>,
}

/// `[health]`: a golden call, and all its correct answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// Index into [`Interface::functions`].
    pub function: usize,
    /// The arguments in the byte encoding of [`crate::abi`].
    pub arguments: Vec<u8>,
    /// SHA-256 of each correct answer, in lower-case hex: of the value for text and bytes, else of its encoding.
    pub sha256: Vec<String>,
}
