//! The arguments of calls: from the project's requests, from its corpus, and generated from the interface.

use std::{collections::HashSet, fs, path::Path};

use tierup_codegen::abi::Value;
use tierup_diagnostic::Result;
use tierup_model::Function;
use tierup_parity::{edge_arguments, mutated_arguments, random_arguments};
use tierup_project::{Loaded, RouteCall, route_call, shown};

use super::{
    case::{encoded, read_arguments},
    questions::{Origin as QuestionOrigin, Question},
};

/// One call.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    /// Index into the interface's functions.
    pub(crate) function: usize,
    pub(crate) arguments: Vec<Value>,
    /// The arguments, encoded as they reach the function.
    pub(crate) encoded: Vec<u8>,
    pub(crate) origin: Origin,
}

/// The origin of an input.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Request,
    Hostile(String),
    Corpus(String),
    Edge,
    Random(u64),
    Mutated(u64),
}

impl Origin {
    /// The origin as a plural, for counts.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Origin::Request => "from requests",
            Origin::Hostile(_) => "from hostile requests",
            Origin::Corpus(_) => "from the corpus",
            Origin::Edge => "edge values",
            Origin::Random(_) => "random",
            Origin::Mutated(_) => "mutated",
        }
    }

    /// Whether tierup generated the input.
    pub(crate) fn is_generated(&self) -> bool {
        !matches!(self, Origin::Request | Origin::Corpus(_))
    }

    pub(crate) fn words(&self, seed: u64) -> String {
        match self {
            Origin::Request => "from a request".to_owned(),
            Origin::Hostile(what) => format!("from a hostile request, {what}"),
            Origin::Corpus(file) => format!("from {file}"),
            Origin::Edge => "an edge value".to_owned(),
            Origin::Random(case) => format!("random case {case} of seed {seed}"),
            Origin::Mutated(case) => format!("mutated case {case} of seed {seed}"),
        }
    }
}

/// The largest arguments that a request may contribute, in bytes. Only the servers get larger ones.
const LARGEST: usize = 256 << 10;
/// Maximum number of lists of edge values for one function: records of records have a great many.
const MOST_EDGES: usize = 2000;

/// An input with a whole number of at least this goes to the end.
const SMALL: u128 = 1 << 16;

/// All inputs, without duplicates. Generated ones with large numbers come last, as their calls may use up the time. The
/// functions share `cases`, the number of random inputs.
pub(crate) fn inputs(loaded: &Loaded, questions: &[Question], cases: usize, seed: u64) -> Result<Vec<Input>> {
    let interface = &loaded.project.interface;
    let mut all = Inputs { loaded, list: Vec::new(), seen: HashSet::new() };
    // Arguments become files, and values from the environment must not end up in files.
    for question in questions {
        if let RouteCall::Call { function, arguments } =
            route_call(&question.request.without_environment(), &loaded.project)
        {
            let origin = match question.origin {
                QuestionOrigin::Hostile => Origin::Hostile(question.what.clone()),
                QuestionOrigin::File | QuestionOrigin::Kept | QuestionOrigin::Failing => Origin::Request,
            };
            all.add_encoded(function, &arguments, origin);
        }
    }
    for (number, function) in interface.functions.iter().enumerate() {
        for file in files(&loaded.folder.join("corpus").join(&function.name)) {
            let arguments = read_arguments(&file, function, interface)?;
            all.add(number, arguments, Origin::Corpus(shown(&file)));
        }
        if let Some(health) = loaded.project.health.as_ref().filter(|health| health.function == number) {
            all.add_encoded(number, &health.arguments, Origin::Request);
        }
        for arguments in edge_arguments(function, interface).into_iter().take(MOST_EDGES) {
            all.add(number, arguments, Origin::Edge);
        }
    }
    let each = cases.div_ceil(interface.functions.len().max(1));
    for (number, function) in interface.functions.iter().enumerate() {
        all.generate(number, function, each, seed);
    }
    all.list.sort_by_key(|input| match input.origin.is_generated() {
        true => input.arguments.iter().map(largest).max().filter(|largest| *largest >= SMALL),
        false => None,
    });
    Ok(all.list)
}

/// The largest whole number in a value.
fn largest(value: &Value) -> u128 {
    let of = |values: &[Value]| values.iter().map(largest).max().unwrap_or_default();
    match value {
        Value::Integer(number) => number.unsigned_abs(),
        // The cast saturates: infinity becomes the maximum, and NaN becomes 0.
        Value::F32(number) => number.abs() as u128,
        Value::F64(number) => number.abs() as u128,
        Value::Optional(inner) => inner.as_deref().map_or(0, largest),
        Value::Map(entries) => entries.values().map(largest).max().unwrap_or_default(),
        Value::List(values) | Value::Record(values) | Value::Enum(_, values) => of(values),
        Value::Bool(_) | Value::Text(_) | Value::Bytes(_) => 0,
    }
}

struct Inputs<'a> {
    loaded: &'a Loaded,
    list: Vec<Input>,
    seen: HashSet<(usize, Vec<u8>)>,
}

impl Inputs<'_> {
    /// Adds a call, and returns whether it is new.
    fn add(&mut self, function: usize, arguments: Vec<Value>, origin: Origin) -> bool {
        let interface = &self.loaded.project.interface;
        let encoded = encoded(&interface.functions[function], interface, &arguments);
        let is_new = encoded.len() <= LARGEST && self.seen.insert((function, encoded.clone()));
        if is_new {
            self.list.push(Input { function, arguments, encoded, origin });
        }
        is_new
    }

    fn add_encoded(&mut self, function: usize, encoded: &[u8], origin: Origin) {
        let interface = &self.loaded.project.interface;
        let mut rest = encoded;
        let parameters = interface.functions[function].parameters.iter();
        let values = parameters.map(|parameter| Value::decode_prefix(&parameter.ty, interface, &mut rest));
        // The same types encoded the values, so they decode.
        if let Ok(values) = values.collect::<std::result::Result<Vec<_>, _>>() {
            self.add(function, values, origin);
        }
    }

    /// Half of the inputs are random; the others are mutations of arguments that were really used, if there are any.
    fn generate(&mut self, number: usize, function: &Function, count: usize, seed: u64) {
        if function.parameters.is_empty() {
            return;
        }
        let used: Vec<Vec<Value>> = self
            .list
            .iter()
            .filter(|input| input.function == number && matches!(input.origin, Origin::Request | Origin::Corpus(_)))
            .map(|input| input.arguments.clone())
            .collect();
        let (mut made, mut case) = (0, 0);
        // A limit, as a function of one bool has only two different calls.
        while made < count && case < 4 * count as u64 {
            let (arguments, origin) = match case % 2 == 1 && !used.is_empty() {
                true => (mutated_arguments(&used, seed, case), Origin::Mutated(case)),
                false => {
                    let interface = &self.loaded.project.interface;
                    (random_arguments(function, interface, seed, case), Origin::Random(case))
                }
            };
            made += usize::from(self.add(number, arguments, origin));
            case += 1;
        }
    }
}

/// The visible files of a folder, by name; empty if the folder does not exist.
pub(crate) fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')))
        .collect();
    files.sort();
    files
}
