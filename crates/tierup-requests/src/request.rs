//! One request, ready to be sent.

/// A request to send, and its place in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The name from `# @name` or the title after `###`, else the method and the path as written: `GET /users/{{id}}`.
    /// All requests of one template have the same name.
    pub name: String,
    /// Where it was written.
    pub place: FileLine,
    /// `GET`, `POST`, …
    pub method: String,
    /// The path and query, in origin form (`/path?query`, RFC 9112 section 3.2.1), or `*`. Only visible ASCII:
    /// other characters are percent-encoded, everything else is as written.
    pub target: String,
    /// The authority of an absolute URL: `127.0.0.1:3000`. `None` if only a path was written.
    pub host: Option<String>,
    /// The headers as written and in order, without those that the sender sets itself: `Content-Length`,
    /// `Transfer-Encoding`, `Connection` and other hop-by-hop headers. A `Host` written in a `.http` file is kept.
    pub headers: Vec<(String, String)>,
    /// Empty without a body.
    pub body: Vec<u8>,
    /// The recorded status, if the request is from a recording.
    pub expected_status: Option<u16>,
    /// The values in the request that came from the environment or from `.env`.
    pub secrets: Vec<Secret>,
}

/// A line of a requests file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLine {
    /// The file's name as the caller gave it.
    pub file: String,
    /// From 1.
    pub line: usize,
}

/// A value in a request that came from outside its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    pub value: String,
    /// How a requests file refers to it: `{{$processEnv TOKEN}}`.
    pub written: String,
}
