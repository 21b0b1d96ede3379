//! `{{$…}}`: the dynamic variables of both editors, which generate their own values.
//!
//! REST Client's are those of its README, section "System Variables"; JetBrains' those of "HTTP Client variables",
//! section "Dynamic variables" (<https://www.jetbrains.com/help/idea/http-client-variables.html>).

use crate::context::{Context, find};
use crate::datetime::{Format, Zone};
use crate::shift::Shift;
use tierup_diagnostic::nearest;

/// `$random.alphabetic`: upper and lower case.
const ALPHABETIC: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// `$random.alphanumeric`: letters, digits and the underscore.
const ALPHANUMERIC: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
const HEXADECIMAL: &[u8] = b"0123456789abcdef";

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Dynamic {
    Uuid,
    /// From `from` up to, but not, `to`.
    Integer {
        from: i64,
        to: i64,
    },
    /// From `from` up to, but not, `to`.
    Float {
        from: f64,
        to: f64,
    },
    Letters {
        alphabet: &'static [u8],
        length: usize,
    },
    Email,
    /// Seconds since 1970.
    Timestamp(Shift),
    Datetime {
        format: Format,
        zone: Zone,
        shift: Shift,
    },
    Environment(Key),
    Dotenv(Key),
}

/// The name of a variable outside the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) name: String,
    /// `%name`: the name is the value of the variable `name`.
    pub(crate) indirect: bool,
}

/// Why a text is not a valid expression.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// All names, for suggestions.
pub(crate) const NAMES: [&str; 17] = [
    "$guid", "$randomInt", "$timestamp", "$datetime", "$localDatetime", "$processEnv", "$dotenv", "$uuid",
    "$isoTimestamp", "$random.uuid", "$random.integer", "$random.float", "$random.alphabetic", "$random.alphanumeric",
    "$random.hexadecimal", "$random.email", "$env.NAME",
];

/// The maximum length of a random text.
const MOST_LETTERS: usize = 1_000_000;

/// Reads the content between the braces, with its `$`.
pub(crate) fn parse(content: &str) -> Result<Dynamic, Wrong> {
    let end = content.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(content.len());
    let (name, rest) = (&content[..end], content[end..].trim());
    if let Some(variable) = name.strip_prefix("$env.").filter(|variable| !variable.is_empty()) {
        return Ok(Dynamic::Environment(Key { name: variable.to_owned(), indirect: false }));
    }
    match name {
        "$guid" | "$uuid" | "$random.uuid" => plain(name, rest, Dynamic::Uuid),
        "$random.email" => plain(name, rest, Dynamic::Email),
        "$randomInt" => integer(rest.split_whitespace(), "{{$randomInt 1 100}}", rest),
        "$random.integer" => integer(arguments(rest).into_iter(), "{{$random.integer(1, 100)}}", rest),
        "$random.float" => float(&arguments(rest), rest),
        "$random.alphabetic" => letters(name, rest, ALPHABETIC),
        "$random.alphanumeric" => letters(name, rest, ALPHANUMERIC),
        "$random.hexadecimal" => letters(name, rest, HEXADECIMAL),
        "$timestamp" => shift(rest, "{{$timestamp -1 d}}").map(Dynamic::Timestamp),
        "$isoTimestamp" => {
            let shift = shift(rest, "{{$isoTimestamp}}")?;
            Ok(Dynamic::Datetime { format: Format::Iso8601, zone: Zone::Utc, shift })
        }
        "$datetime" => datetime(name, rest, Zone::Utc),
        "$localDatetime" => datetime(name, rest, Zone::Local),
        "$processEnv" => key(rest, "{{$processEnv NAME}}").map(Dynamic::Environment),
        "$dotenv" => key(rest, "{{$dotenv NAME}}").map(Dynamic::Dotenv),
        _ => Err(unknown(name)),
    }
}

impl Dynamic {
    /// Whether its value differs from one request to the next. Times do not: all requests are made at the same time.
    pub(crate) fn varies(&self) -> bool {
        use Dynamic::{Datetime, Dotenv, Email, Environment, Float, Integer, Letters, Timestamp, Uuid};
        match self {
            Uuid | Integer { .. } | Float { .. } | Letters { .. } | Email => true,
            Timestamp(_) | Datetime { .. } | Environment(_) | Dotenv(_) => false,
        }
    }

    /// How a requests file spells this environment or `.env` variable; `None` for other kinds of variables.
    pub(crate) fn secret(&self, context: &Context) -> Option<String> {
        let (asks, key) = match self {
            Dynamic::Environment(key) => ("$processEnv", key),
            Dynamic::Dotenv(key) => ("$dotenv", key),
            _ => return None,
        };
        let name = if key.indirect { find(context.variables, &key.name)? } else { &key.name };
        Some(format!("{{{{{asks} {name}}}}}"))
    }
}

fn unknown(name: &str) -> Wrong {
    // The prefix `$random.` is correct, so the distance is measured without it.
    let meant = match name.strip_prefix("$random.") {
        Some(tail) => {
            let tails = NAMES.iter().filter_map(|known| known.strip_prefix("$random."));
            nearest(tail, tails).map(|tail| format!("$random.{tail}"))
        }
        None => nearest(name, NAMES).map(str::to_owned),
    };
    let hint = match (meant, name) {
        (_, "$aadToken" | "$aadV2Token" | "$oidcAccessToken") => {
            "tierup does not sign in to services; write a variable, `{{token}}`, and give it a value".to_owned()
        }
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, _) => format!("there are {}", NAMES.join(", ")),
    };
    Wrong { message: format!("there is no variable `{name}`"), hint: Some(hint) }
}

fn wrong(message: String, example: &str) -> Wrong {
    Wrong { message, hint: Some(format!("write it like `{example}`")) }
}

fn plain(name: &str, rest: &str, dynamic: Dynamic) -> Result<Dynamic, Wrong> {
    if rest.is_empty() || rest == "()" {
        return Ok(dynamic);
    }
    Err(wrong(format!("`{name}` takes no arguments"), &format!("{{{{{name}}}}}")))
}

/// The parts of `(a, b)`. A text of another shape is a single part, which the caller then refuses as a number.
fn arguments(rest: &str) -> Vec<&str> {
    match rest.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')) {
        Some(inside) if inside.trim().is_empty() => Vec::new(),
        Some(inside) => inside.split(',').map(str::trim).collect(),
        None if rest.is_empty() => Vec::new(),
        None => vec![rest],
    }
}

/// Both editors include `from` and exclude `to`. Without arguments, the range is JetBrains' default.
fn integer<'a>(mut numbers: impl Iterator<Item = &'a str>, example: &str, rest: &str) -> Result<Dynamic, Wrong> {
    let (from, to) = match (numbers.next(), numbers.next(), numbers.next()) {
        (None, ..) => (Some(0), Some(1000)),
        (Some(from), Some(to), None) => (from.parse().ok(), to.parse().ok()),
        _ => (None, None),
    };
    match (from, to) {
        (Some(from), Some(to)) if from < to => Ok(Dynamic::Integer { from, to }),
        (Some(_), Some(_)) => Err(wrong(format!("there is no whole number in the range `{rest}`"), example)),
        _ => Err(wrong(format!("`{rest}` is not a range of two whole numbers"), example)),
    }
}

fn float(numbers: &[&str], rest: &str) -> Result<Dynamic, Wrong> {
    let example = "{{$random.float(0.5, 2)}}";
    let parsed: Vec<f64> = numbers.iter().filter_map(|number| number.parse().ok()).collect();
    let (from, to) = match (numbers.len(), parsed.as_slice()) {
        (0, _) => (0.0, 1000.0),
        (2, [from, to]) => (*from, *to),
        _ => return Err(wrong(format!("`{rest}` is not a range of two numbers"), example)),
    };
    if from < to && (to - from).is_finite() {
        return Ok(Dynamic::Float { from, to });
    }
    Err(wrong(format!("there is no number in the range `{rest}`"), example))
}

fn letters(name: &str, rest: &str, alphabet: &'static [u8]) -> Result<Dynamic, Wrong> {
    let arguments = arguments(rest);
    let length = match arguments.as_slice() {
        [length] => length.parse().ok(),
        _ => None,
    };
    match length {
        Some(length) if (1..=MOST_LETTERS).contains(&length) => Ok(Dynamic::Letters { alphabet, length }),
        _ => Err(wrong(format!("`{name}` needs a length from 1 to {MOST_LETTERS}"), &format!("{{{{{name}(8)}}}}"))),
    }
}

/// Reads `-3 d`; an empty text is no shift.
fn shift(rest: &str, example: &str) -> Result<Shift, Wrong> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let shift = match words.as_slice() {
        [] => Some(Shift::default()),
        [amount, unit] => amount.parse().ok().and_then(|amount| Shift::new(amount, unit)),
        _ => None,
    };
    shift.ok_or_else(|| {
        let message = format!("`{rest}` is not an offset: a whole number and one of y, Q, M, w, d, h, m, s, ms");
        wrong(message, example)
    })
}

fn datetime(name: &str, rest: &str, zone: Zone) -> Result<Dynamic, Wrong> {
    let example = format!("{{{{{name} iso8601}}}}");
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''));
    let (format, behind) = if let Some((pattern, behind)) = quote.and_then(|quote| rest[1..].rsplit_once(quote)) {
        let format = Format::custom(pattern).map_err(|token| {
            wrong(format!("`{token}` is not supported in date formats"), &format!("{{{{{name} 'YYYY-MM-DD'}}}}"))
        })?;
        (format, behind)
    } else {
        let (format, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match format {
            "rfc1123" => (Format::Rfc1123, behind),
            "iso8601" => (Format::Iso8601, behind),
            "" => return Err(wrong(format!("`{name}` needs a format: rfc1123, iso8601 or one in quotes"), &example)),
            _ => {
                let message = format!("`{format}` is not a format: rfc1123, iso8601 or one in quotes");
                return Err(wrong(message, &example));
            }
        }
    };
    let shift = shift(behind.trim(), &format!("{{{{{name} iso8601 -1 d}}}}"))?;
    Ok(Dynamic::Datetime { format, zone, shift })
}

fn key(rest: &str, example: &str) -> Result<Key, Wrong> {
    let (name, indirect) = match rest.strip_prefix('%') {
        Some(name) => (name, true),
        None => (rest, false),
    };
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(wrong(format!("`{rest}` is not the name of a variable of the environment"), example));
    }
    Ok(Key { name: name.to_owned(), indirect })
}
