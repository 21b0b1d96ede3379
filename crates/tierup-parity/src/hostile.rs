//! Hostile requests made from good ones, as attackers, broken clients and fuzzers send them. Two servers that agree on
//! good requests may differ on these.
//!
//! In: a good request. Out: named variations of it, each wrong in one way. Nothing is sent here.

mod body;
mod envelope;
mod json_body;
mod parameters;

use tierup_requests::Request;

/// A request that is wrong in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hostile {
    /// The defect, for a report: "`text` is missing".
    pub what: String,
    pub request: Request,
    pub framing: Framing,
}

/// How the sender frames the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Framing {
    /// With `Content-Length`, as good requests are sent.
    Length,
    /// In chunks, with `Transfer-Encoding: chunked` (RFC 9112, section 7.1).
    Chunked,
}

/// The known limits of the servers. Variations that are too long by one need a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// The longest value of a parameter, in characters.
    pub parameter: Option<usize>,
    /// The longest body, in bytes.
    pub body: Option<usize>,
}

/// The methods that a variation may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Methods {
    /// The good request's own method, and the safe ones (RFC 9110, section 9.2.1). A `DELETE` gets no variations:
    /// without its parameter it may delete everything.
    #[default]
    Safe,
    /// Any method: a `GET` may become a `DELETE`.
    Any,
}

/// The good request's variations, always the same for the same request. All differ from each other and from the good
/// one, and lack its [credentials](Request::without_secrets): a wrong request must not act with a user's rights.
/// They have no expected status, as the control's answer is the right one. Some are large, and together they may take
/// 50 MB, so make them for one request at a time.
pub fn hostile(good: &Request, limits: Limits, methods: Methods) -> Vec<Hostile> {
    if methods == Methods::Safe && good.method == "DELETE" {
        return Vec::new();
    }
    let good = &good.without_secrets();
    let mut made = parameters::hostile(good, limits);
    made.extend(body::hostile(good, limits));
    made.extend(json_body::hostile(good));
    made.extend(envelope::hostile(good, methods));
    let mut distinct: Vec<Hostile> = Vec::with_capacity(made.len());
    for hostile in made {
        let is_sent_already =
            |other: &Hostile| is_alike(&other.request, &hostile.request) && other.framing == hostile.framing;
        let is_good = hostile.framing == Framing::Length && is_alike(good, &hostile.request);
        if !is_good && !distinct.iter().any(is_sent_already) {
            distinct.push(hostile);
        }
    }
    distinct
}

/// Whether two requests are the same on the wire.
fn is_alike(one: &Request, other: &Request) -> bool {
    one.method == other.method && one.target == other.target && one.headers == other.headers && one.body == other.body
}

/// One variation: a copy of `good` that `change` makes wrong.
fn variation(good: &Request, what: impl Into<String>, change: impl FnOnce(&mut Request)) -> Hostile {
    let mut request = Request { expected_status: None, ..good.clone() };
    change(&mut request);
    Hostile { what: what.into(), request, framing: Framing::Length }
}

/// The media type that the request declares for its body, lowercase, without parameters, or empty.
fn media_type(request: &Request) -> String {
    let header = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    header.map(|(_, value)| crate::content_type::essence(value)).unwrap_or_default()
}
