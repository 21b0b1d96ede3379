//! The tools: commands with the options that a client may give. Their schemas are made from the command line's own
//! definition, so that they never disagree with it.

use std::any::TypeId;

use clap::{Arg, ArgAction};
use serde_json::{Map, Value, json};

/// A command that a client may run.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) about: String,
    /// JSON Schema of the arguments, an object.
    pub(super) schema: Map<String, Value>,
    /// Whether it writes nothing, not even in `.tierup`.
    pub(super) is_read_only: bool,
    /// The words after the command's name, whatever the client gives.
    always: &'static [&'static str],
}

/// What a client may run, and how.
struct Offer {
    name: &'static str,
    is_read_only: bool,
    always: &'static [&'static str],
    /// The options that the client may give. None of them takes a path, an address or a command.
    options: &'static [&'static str],
}

const OFFERS: [Offer; 5] = [
    Offer { name: "profile", is_read_only: false, always: &["--format=text"], options: &["host", "duration", "own"] },
    Offer { name: "brief", is_read_only: true, always: &[], options: &["function", "host"] },
    Offer { name: "build", is_read_only: false, always: &["--json"], options: &["hosts", "tiers"] },
    Offer {
        name: "check",
        is_read_only: false,
        always: &["--json"],
        options: &["hosts", "tiers", "only", "cases", "hostile", "seed", "show"],
    },
    Offer {
        name: "bench",
        is_read_only: false,
        always: &["--format=markdown"],
        options: &["hosts", "tiers", "in-process", "reference", "quick", "duration"],
    },
];

/// All tools. `program` is the definition of the whole command line.
pub(super) fn tools(program: &clap::Command) -> Vec<Tool> {
    let tool = |&Offer { name, is_read_only, always, options }: &Offer| {
        let command = program.find_subcommand(name)?;
        let about = command.get_long_about().or(command.get_about())?;
        let argument = |option: &&str| command.get_arguments().find(|argument| argument.get_long() == Some(option));
        let properties: Map<_, _> = options.iter().filter_map(argument).map(property).collect();
        let schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        let Value::Object(schema) = schema else { return None };
        Some(Tool { name, about: about.to_string(), schema, is_read_only, always })
    };
    OFFERS.iter().filter_map(tool).collect()
}

fn property(argument: &Arg) -> (String, Value) {
    let is_many = argument.get_value_delimiter().is_some() || matches!(argument.get_action(), ArgAction::Append);
    let one = match argument.get_action() {
        ArgAction::SetTrue => json!({ "type": "boolean" }),
        _ if is_number(argument) => json!({ "type": "integer", "minimum": 0 }),
        _ => match &argument.get_possible_values()[..] {
            [] => json!({ "type": "string" }),
            values => json!({ "enum": values.iter().map(|value| value.get_name()).collect::<Vec<_>>() }),
        },
    };
    let mut schema = if is_many { json!({ "type": "array", "items": one }) } else { one };
    schema["description"] = argument.get_help().map(ToString::to_string).into();
    (argument.get_long().unwrap_or_default().to_owned(), schema)
}

fn is_number(argument: &Arg) -> bool {
    let kind = argument.get_value_parser().type_id();
    [TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()].iter().any(|number| kind == *number)
}

impl Tool {
    /// The program's arguments for a call.
    ///
    /// # Errors
    /// An argument is not in the schema; or it is of another type.
    pub(super) fn words(&self, given: &Map<String, Value>) -> Result<Vec<String>, String> {
        let mut words = vec![self.name.to_owned(), "--color=never".to_owned()];
        words.extend(self.always.iter().map(|word| (*word).to_owned()));
        for (name, value) in given {
            if self.schema["properties"].get(name).is_none() {
                let known: Vec<_> = self.schema["properties"].as_object().into_iter().flat_map(Map::keys).collect();
                return Err(format!("`{name}` is not an argument of {}; it has: {known:?}", self.name));
            }
            match value {
                Value::Null | Value::Bool(false) => {}
                Value::Bool(true) => words.push(format!("--{name}")),
                Value::Array(items) => {
                    for item in items {
                        words.push(format!("--{name}={}", word(name, item)?));
                    }
                }
                one => words.push(format!("--{name}={}", word(name, one)?)),
            }
        }
        Ok(words)
    }
}

fn word(name: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(format!("`{name}` must be a text, a number, or a list of them")),
    }
}
