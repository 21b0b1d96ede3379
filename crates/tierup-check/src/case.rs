//! One input as a file: either it repeats a mismatch, or the project keeps it in `corpus/`.
//!
//! `corpus/<function>/` holds arguments. If the function takes a single text or byte argument, a file is that argument
//! itself, so a fuzzer's corpus fits. Otherwise a file is a JSON list of all arguments, or `*.args`, their byte
//! encoding (`docs/byte-abi.md`), if JSON cannot represent them. `corpus/requests/` holds requests, a `.http` file
//! each.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value as Json;
use tierup_codegen::{
    Keys,
    abi::{Value, encode_arguments},
};
use tierup_diagnostic::{Failure, Result};
use tierup_model::{Function, Interface, Type};
use tierup_parity::Framing;
use tierup_project::{Source, from_json, requests, shown, to_json};
use tierup_requests::Secrets;
use tierup_runner::{
    Observer, Quiet,
    private::{self, FolderOwner, make_folder},
};
use tierup_subject::Behaviour;

use super::questions::{Origin, Question};

/// The corpus folder for requests, beside those for functions.
pub(crate) const REQUESTS: &str = "requests";
/// A comment in a `.http` file: send the body in chunks.
const CHUNKED: &str = "# @chunked";
/// Another one: how the service behind the server fails meanwhile.
const DOWNSTREAM: &str = "# @downstream";
const BEHAVIOURS: [(Behaviour, &str); 2] = [(Behaviour::Fails, "fails"), (Behaviour::Closes, "closes")];
/// The extension of a file with encoded arguments.
const ENCODED: &str = "args";

/// Writes arguments into `folder`, and returns the file.
pub(crate) fn write_arguments(
    folder: &Path,
    name: &str,
    function: &Function,
    interface: &Interface,
    arguments: &[Value],
) -> Result<PathBuf> {
    let (ending, content) = match (&sole(function), arguments) {
        (Some(Type::Text), [Value::Text(text)]) => ("txt", text.clone().into_bytes()),
        (Some(Type::Bytes), [Value::Bytes(bytes)]) => ("bin", bytes.clone()),
        _ => as_json(function, interface, arguments).map_or_else(
            || (ENCODED, encoded(function, interface, arguments)),
            |json| ("json", format!("{json:#}\n").into_bytes()),
        ),
    };
    make_folder(folder, FolderOwner::Ours).map_err(|error| unwritten(folder, error))?;
    let own = folder.join(&function.name);
    let file = own.join(format!("{name}.{ending}"));
    fs::create_dir_all(&own).and_then(|()| private::write(&file, &content)).map_err(|error| unwritten(&file, error))?;
    Ok(file)
}

/// Reads files from [`write_arguments`], or from the user.
pub(crate) fn read_arguments(file: &Path, function: &Function, interface: &Interface) -> Result<Vec<Value>> {
    let wrong = |why: String| {
        Failure::usage(format!("`{}` does not contain arguments of `{}`: {why}", shown(file), function.name))
            .hint("docs/comparing.md describes the format of such files")
    };
    let content = fs::read(file).map_err(|error| wrong(error.to_string()))?;
    if file.extension().is_some_and(|ending| ending == ENCODED) {
        let mut rest = &content[..];
        let values =
            function.parameters.iter().map(|parameter| Value::decode_prefix(&parameter.ty, interface, &mut rest));
        let values = values.collect::<std::result::Result<Vec<_>, _>>().map_err(|error| wrong(error.to_string()))?;
        return if rest.is_empty() { Ok(values) } else { Err(wrong(format!("{} bytes are left over", rest.len()))) };
    }
    match sole(function) {
        Some(Type::Bytes) => return Ok(vec![Value::Bytes(content)]),
        Some(Type::Text) => {
            let text = String::from_utf8(content).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
            return Ok(vec![Value::Text(text)]);
        }
        _ => {}
    }
    let json: Json =
        serde_json::from_slice(&content).map_err(|error| wrong(format!("it is not valid JSON: {error}")))?;
    let list = json.as_array().filter(|list| list.len() == function.parameters.len());
    let list = list.ok_or_else(|| wrong(format!("it is not a list of {} arguments", function.parameters.len())))?;
    let values = list.iter().zip(&function.parameters);
    values.map(|(json, parameter)| from_json(json, &parameter.ty, interface, Keys::default()).map_err(wrong)).collect()
}

/// Writes a request into `folder`. `None` if a `.http` file cannot represent it, or would hold a credential in plain
/// text. Writes a value from the environment as a variable.
pub(crate) fn write_request(folder: &Path, name: &str, question: &Question) -> Result<Option<PathBuf>> {
    let Some(request) = question.request.written() else { return Ok(None) };
    let secrets = Secrets::collect([&question.request]);
    let mut text = format!("### {}\n", secrets.mask(&question.what).replace(['\n', '\r'], " "));
    if question.framing == Framing::Chunked {
        text.push_str(&format!("{CHUNKED}\n"));
    }
    if let Some((_, word)) = BEHAVIOURS.iter().find(|(known, _)| *known == question.behaviour) {
        text.push_str(&format!("{DOWNSTREAM} {word}\n"));
    }
    text.push_str(&format!("{} {}\n", request.method, request.target));
    for (name, value) in &request.headers {
        text.push_str(&format!("{name}: {value}\n"));
    }
    make_folder(folder, FolderOwner::Ours).map_err(|error| unwritten(folder, error))?;
    let folder = folder.join(REQUESTS);
    fs::create_dir_all(&folder).map_err(|error| unwritten(&folder, error))?;
    let put = |name: String, content: &[u8]| {
        let file = folder.join(name);
        private::write(&file, content).map_err(|error| unwritten(&file, error)).map(|()| file)
    };
    let has_variables = request.body != question.request.body;
    let plain = str::from_utf8(&request.body).ok().filter(|body| {
        let is_literal = has_variables || !body.contains("{{");
        body.len() < 4096 && is_literal && !body.starts_with(['<', '>', '#']) && is_one_line(body)
    });
    match plain {
        _ if request.body.is_empty() => {}
        Some(body) => text.push_str(&format!("\n{body}\n")),
        None => {
            put(format!("{name}.body"), &request.body)?;
            text.push_str(&format!("\n<{} ./{name}.body\n", if has_variables { "@" } else { "" }));
        }
    }
    let file = put(format!("{name}.http"), text.as_bytes())?;
    // The target or a header may contain text that has another meaning in a `.http` file.
    let reads_back = read_requests(&file, &mut Quiet)
        .is_ok_and(|read| read.len() == 1 && read.iter().all(|one| is_same(one, question)));
    if !reads_back {
        // Otherwise `--keep` would keep it, or somebody would mistake it for the request.
        let _ = fs::remove_file(&file);
        return Ok(None);
    }
    Ok(Some(file))
}

fn unwritten(path: &Path, error: std::io::Error) -> Failure {
    Failure::because(format!("cannot write `{}`", shown(path)), error)
}

/// Reads a `.http` file.
pub(crate) fn read_requests(file: &Path, observer: &mut dyn Observer) -> Result<Vec<Question>> {
    let text = tierup_runner::read_text(file)?.unwrap_or_default();
    let framing = if text.lines().any(|line| line == CHUNKED) { Framing::Chunked } else { Framing::Length };
    let behaviour = behaviour(&text).map_err(|word| {
        Failure::usage(format!("`{}` says `{DOWNSTREAM} {word}`", shown(file)))
            .hint(format!("write `{DOWNSTREAM} fails` or `{DOWNSTREAM} closes`"))
    })?;
    let (set, _) = requests(&Source::File(file.to_owned()), 0, observer)?;
    let questions = set.requests.into_iter().map(|request| Question {
        framing,
        behaviour,
        ..Question::good(request, Origin::Kept)
    });
    Ok(questions.collect())
}

/// The downstream behaviour that a comment in the text names. An unknown word is returned as the error.
fn behaviour(text: &str) -> std::result::Result<Behaviour, &str> {
    let Some(word) = text.lines().find_map(|line| line.strip_prefix(DOWNSTREAM)) else {
        return Ok(Behaviour::Answers);
    };
    let known = BEHAVIOURS.iter().find(|(_, known)| *known == word.trim());
    known.map(|(behaviour, _)| *behaviour).ok_or(word.trim())
}

/// The type of a function's only parameter.
fn sole(function: &Function) -> Option<&Type> {
    match &function.parameters[..] {
        [one] => Some(&one.ty),
        _ => None,
    }
}

/// All arguments as a JSON list, if reading that list gives the same arguments.
fn as_json(function: &Function, interface: &Interface, arguments: &[Value]) -> Option<Json> {
    let each = arguments.iter().zip(&function.parameters);
    let list = each.map(|(value, parameter)| {
        let json = to_json(value, &parameter.ty, interface)?;
        let again = from_json(&json, &parameter.ty, interface, Keys::default()).ok()?;
        (again == *value).then_some(json)
    });
    list.collect::<Option<Vec<_>>>().map(Json::Array)
}

/// All arguments in the byte encoding.
pub(crate) fn encoded(function: &Function, interface: &Interface, arguments: &[Value]) -> Vec<u8> {
    // The values were made or decoded by these types, so they fit.
    encode_arguments(arguments, function, interface).unwrap_or_default()
}

fn is_one_line(text: &str) -> bool {
    text.trim() == text && text.chars().all(|c| !c.is_control())
}

/// Whether two questions lead to the same exchange with the server.
fn is_same(one: &Question, other: &Question) -> bool {
    let how = |question: &Question| (question.framing, question.behaviour);
    let (mine, theirs) = (&one.request, &other.request);
    how(one) == how(other)
        && mine.method == theirs.method
        && mine.target == theirs.target
        && mine.headers == theirs.headers
        && mine.body == theirs.body
}
