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
    /// The authority of an absolute URL: `127.0.0.1:3000`. `None` where only a path was written.
    pub host: Option<String>,
    /// As written and in order, without those that the sender must set itself: `Content-Length`, `Transfer-Encoding`,
    /// `Connection` and other headers of one hop. A `Host` that was written in a `.http` file is among them.
    pub headers: Vec<(String, String)>,
    /// Empty without a body.
    pub body: Vec<u8>,
    /// The recorded status, if the request is from a recording.
    pub expected_status: Option<u16>,
    /// The values in it that came from the environment, or from `.env`.
    pub secrets: Vec<Secret>,
}

/// A line of a requests file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLine {
    /// As the caller named it.
    pub file: String,
    /// From 1.
    pub line: usize,
}

/// A value that a request has from outside its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    pub value: String,
    /// As a requests file says it: `{{$processEnv TOKEN}}`.
    pub written: String,
}
