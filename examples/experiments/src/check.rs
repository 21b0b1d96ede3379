//! Values to an experiment, or everything that is wrong with them, in the order in which an experiment is written.

use std::{collections::HashMap, fmt};

use crate::{
    problems::Problems,
    read::{Fields, Value},
};

/// How far from 100 the shares may be in all: `33.3 + 33.3 + 33.4` is not quite 100 to a computer.
const TOLERANCE: f64 = 1e-6;

/// An experiment in which nothing is wrong.
pub(crate) struct Experiment<'a> {
    pub(crate) name: &'a str,
    pub(crate) variants: Vec<Variant<'a>>,
}

pub(crate) struct Variant<'a> {
    pub(crate) name: &'a str,
    /// From 0 to 100.
    pub(crate) share: f64,
}

pub(crate) fn check<'a>(body: &'a Value<'_>) -> Result<Experiment<'a>, Problems> {
    let mut problems = Problems::new();
    let Value::Object(experiment) = body else {
        problems.add("", "must be an object");
        return Err(problems);
    };
    let name = check_name(&experiment.name, "name", &mut problems);
    let variants = check_variants(&experiment.variants, &mut problems);
    match (name, variants) {
        (Some(name), Some(variants)) if problems.is_empty() => Ok(Experiment { name, variants }),
        _ => Err(problems),
    }
}

fn check_name<'a>(value: &'a Value<'_>, path: impl fmt::Display, problems: &mut Problems) -> Option<&'a str> {
    let problem = match value {
        // What is short in bytes need not be counted.
        Value::Text(name) if !name.is_empty() && (name.len() <= 200 || name.chars().count() <= 200) => {
            return Some(name);
        }
        Value::Text(_) => "must have 1 to 200 characters",
        Value::Missing => "is missing",
        _ => "must be text",
    };
    problems.add(path, problem);
    None
}

fn check_variants<'a>(value: &'a Value<'_>, problems: &mut Problems) -> Option<Vec<Variant<'a>>> {
    let problem = match value {
        Value::List(list) if !list.is_empty() => return check_list(list, problems),
        Value::List(_) => "must not be empty",
        Value::Missing => "is missing",
        _ => "must be a list",
    };
    problems.add("variants", problem);
    None
}

fn check_list<'a>(list: &'a [Value<'_>], problems: &mut Problems) -> Option<Vec<Variant<'a>>> {
    let mut variants = Vec::with_capacity(list.len());
    let mut names = HashMap::with_capacity(list.len());
    let mut sum = Some(0.0);
    for (index, value) in list.iter().enumerate() {
        if problems.is_full() {
            return None;
        }
        let Value::Object(variant) = value else {
            problems.add(format_args!("variants[{index}]"), "must be an object");
            sum = None;
            continue;
        };
        let name = check_name(&variant.name, format_args!("variants[{index}].name"), problems);
        if let Some(name) = name {
            let first = *names.entry(name).or_insert(index);
            if first != index {
                let message = format_args!("is the name of variants[{first}] too");
                problems.add(format_args!("variants[{index}].name"), message);
            }
        }
        let share = check_share(variant, index, problems);
        sum = sum.zip(share).map(|(sum, share)| sum + share);
        variants.extend(name.zip(share).map(|(name, share)| Variant { name, share }));
    }
    if let Some(sum) = sum
        && (sum - 100.0_f64).abs() > TOLERANCE
    {
        let mut buffer = ryu_js::Buffer::new();
        problems.add("variants", format_args!("the shares are {} in all, not 100", buffer.format(sum)));
    }
    Some(variants)
}

fn check_share(variant: &Fields<'_>, index: usize, problems: &mut Problems) -> Option<f64> {
    let problem = match variant.allocation_percent {
        Value::Number(share) if (0.0..=100.0).contains(&share) => return Some(share),
        Value::Number(_) => "must be from 0 to 100",
        Value::Missing => "is missing",
        _ => "must be a number",
    };
    problems.add(format_args!("variants[{index}].allocation_percent"), problem);
    None
}
