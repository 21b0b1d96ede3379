//! The rules that routes must follow so that a server can be written from them.

use std::collections::{HashMap, HashSet};
use std::fmt;

use tierup_model::{Parameter, Type};

use super::arguments::ParameterPlace;
use super::{capture, captures, health, request_line};
use crate::{Body, Project, Route};

/// Methods that axum has a function for.
const METHODS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/// Why no server can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The route at fault, by its index and its request; `None` where it is the golden call.
    pub route: Option<(usize, String)>,
    /// The problem with it.
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, request)) = &self.route {
            write!(f, "route `{request}`: ")?;
        }
        f.write_str(&self.reason)
    }
}

/// Whether a server can be written from the project's routes and its golden call.
///
/// # Errors
/// The first problem.
pub fn check(project: &Project) -> Result<(), Refusal> {
    let mut seen = HashMap::new();
    for (index, route) in project.routes.iter().enumerate() {
        let refusal = |reason| Refusal { route: Some((index, request_line(route))), reason };
        check_route(project, route).map_err(refusal)?;
        // Names of captures do not tell requests apart.
        if let Some(other) = seen.insert((&route.method, shape(&route.path)), route) {
            return Err(refusal(format!("`{}` answers the same requests", request_line(other))));
        }
    }
    health::golden_arguments(project).map(drop).map_err(|reason| Refusal { route: None, reason })
}

/// A path without the names of its captures, which do not tell requests apart.
pub(super) fn shape(path: &str) -> String {
    let segments = path.split('/').map(|segment| if capture(segment).is_some() { "{}" } else { segment });
    segments.collect::<Vec<_>>().join("/")
}

fn check_route(project: &Project, route: &Route) -> Result<(), String> {
    if !METHODS.contains(&route.method.as_str()) {
        return Err(format!("the method must be one of {}", METHODS.join(", ")));
    }
    check_path(&route.path)?;
    // The content type ends up in a header, so it must be valid there.
    let printable = |content_type: &String| content_type.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if let Some(content_type) = route.content_type.as_ref().filter(|content_type| !printable(content_type)) {
        return Err(format!("`{}` is no content type", content_type.escape_default()));
    }
    let parameters = &project.interface.functions[route.function].parameters;
    let captures = captures(&route.path).into_iter().map(|(_, name)| name);
    let body = route.body.iter().flat_map(Body::parameters).map(String::as_str);
    let filled = captures.chain(route.query.iter().map(|(_, name)| name.as_str())).chain(body);
    let limited = route.max_bytes.iter().map(|(name, _)| name.as_str());
    let mut once = HashSet::new();
    for name in filled {
        if !once.insert(name) {
            return Err(format!("the parameter `{name}` is filled twice"));
        }
    }
    let known = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
    if let Some(name) = once.into_iter().chain(limited).find(|name| !known(name)) {
        return Err(format!("the function has no parameter `{name}`"));
    }
    parameters.iter().try_for_each(|parameter| check_parameter(project, route, parameter))
}

fn check_path(path: &str) -> Result<(), String> {
    let Some(path) = path.strip_prefix('/') else { return Err("the path must start with `/`".to_owned()) };
    for segment in path.split('/') {
        let name = capture(segment);
        let identifier = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if name.is_some_and(|name| !identifier(name))
            || name.is_none() && (segment.contains(['{', '}', '?', '#', '%']) || segment.starts_with([':', '*']))
        {
            return Err(format!("`{segment}` in the path is neither text nor one capture, as in `/shapes/{{id}}`"));
        }
    }
    Ok(())
}

fn check_parameter(project: &Project, route: &Route, parameter: &Parameter) -> Result<(), String> {
    let name = &parameter.name;
    let (leaf, optional) = match &parameter.ty {
        Type::Optional(inner) => (&**inner, true),
        leaf => (leaf, false),
    };
    let text_or_bytes = matches!(leaf, Type::Text | Type::Bytes);
    if !text_or_bytes && route.max_bytes.iter().any(|(limited, _)| limited == name) {
        return Err(format!("`max_bytes` is for text and bytes, which `{name}` is not"));
    }
    let simple = match leaf {
        Type::Defined(index) => project.interface.definitions[*index].is_plain_enum(),
        Type::List(_) | Type::Map(_) => false,
        _ => true,
    };
    match ParameterPlace::find(route, name) {
        ParameterPlace::Path(_) | ParameterPlace::Query(_) if !simple => {
            Err(format!("`{name}` is too much for a path or a query; let the body fill it: `body = {name:?}`"))
        }
        ParameterPlace::Absent if !optional => Err(format!("nothing in the request fills the parameter `{name}`")),
        _ => Ok(()),
    }
}
