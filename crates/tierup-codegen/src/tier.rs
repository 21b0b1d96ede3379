//! Tiers, the variants that implement them, and rows: the modes that a user can ask a server to run in.

use std::{fmt, str::FromStr};

/// How much Rust: a step on the ladder of adoption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// 0: the host's own code, unchanged.
    Baseline,
    /// 1: a command-line program.
    Cli,
    /// 2: a Wasm module.
    Wasm,
    /// 3: native code in the host's process.
    Native,
    /// 4: a server in Rust.
    Server,
}

impl Tier {
    pub const ALL: [Tier; 5] = [Tier::Baseline, Tier::Cli, Tier::Wasm, Tier::Native, Tier::Server];

    /// `0` to `4`.
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// A way to implement a tier with Rust. Tier 0 has no variants, only baselines: see [`Row`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variant {
    /// `1:spawn`: a process per call.
    Spawn,
    /// `1:pool`: long-lived processes, fed by frames.
    Pool,
    /// `2:bindgen`: wasm-bindgen, where the host is JavaScript.
    Bindgen,
    /// `2:core`: the byte ABI over any Wasm runtime.
    Core,
    /// `2:component`: the Component Model (WIT, wit-bindgen).
    Component,
    /// `3:native`: a native extension of the host.
    Native,
    /// `3:async`: the same, off the event loop.
    Async,
    /// `4:server`: the route answered by a Rust server.
    Server,
}

impl Variant {
    pub const ALL: [Variant; 8] = [
        Variant::Spawn,
        Variant::Pool,
        Variant::Bindgen,
        Variant::Core,
        Variant::Component,
        Variant::Native,
        Variant::Async,
        Variant::Server,
    ];

    pub fn tier(self) -> Tier {
        match self {
            Variant::Spawn | Variant::Pool => Tier::Cli,
            Variant::Bindgen | Variant::Core | Variant::Component => Tier::Wasm,
            Variant::Native | Variant::Async => Tier::Native,
            Variant::Server => Tier::Server,
        }
    }

    /// The part after the colon: `spawn`, `pool`, …
    pub fn word(self) -> &'static str {
        match self {
            Variant::Spawn => "spawn",
            Variant::Pool => "pool",
            Variant::Bindgen => "bindgen",
            Variant::Core => "core",
            Variant::Component => "component",
            Variant::Native => "native",
            Variant::Async => "async",
            Variant::Server => "server",
        }
    }

    /// The whole name, as `TIERUP_TIER` takes it: `1:spawn`, …
    pub fn name(self) -> String {
        format!("{}:{}", self.tier().number(), self.word())
    }

    /// The variants of a tier, the preferred one first.
    pub fn at(tier: Tier) -> &'static [Variant] {
        match tier {
            Tier::Baseline => &[],
            Tier::Cli => &[Variant::Pool, Variant::Spawn],
            Tier::Wasm => &[Variant::Core, Variant::Bindgen, Variant::Component],
            Tier::Native => &[Variant::Native, Variant::Async],
            Tier::Server => &[Variant::Server],
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

/// A change around the server's own function that one would try before Rust. The function itself stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wrapping {
    /// `0:memo`: a bounded cache of answers, by the encoded arguments.
    Memo,
    /// `0:workers`: threads or processes of the same language, as many as there are processors.
    Workers,
}

impl Wrapping {
    pub const ALL: [Wrapping; 2] = [Wrapping::Memo, Wrapping::Workers];

    /// The part after the colon: `memo`, `workers`.
    pub fn word(self) -> &'static str {
        match self {
            Wrapping::Memo => "memo",
            Wrapping::Workers => "workers",
        }
    }
}

/// A mode that a server can run in: a row of every table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Row {
    /// `0`: the unchanged baseline; `0:tuned`: another baseline, by its label.
    Baseline(Option<String>),
    /// `0:free`: recorded answers replayed, the ceiling of any rewrite inside this host.
    Free,
    /// `0:memo`, `0:workers`: the unchanged baseline with something around it.
    Wrapped(Wrapping),
    /// A tier by number, e.g. `2`: the most preferred of its variants that were built.
    Tier(Tier),
    /// A variant by name.
    Variant(Variant),
    /// `3:native#NAME`: a variant that calls another of the crate's functions in the place of the exported one.
    Alternative(Variant, String),
}

impl Row {
    /// The variant that carries the row's calls; `None` where the row has no Rust, or the build decides which.
    pub fn variant(&self) -> Option<Variant> {
        match self {
            Row::Variant(variant) | Row::Alternative(variant, _) => Some(*variant),
            Row::Baseline(_) | Row::Free | Row::Wrapped(_) | Row::Tier(_) => None,
        }
    }
}

/// Whether a word can name a baseline or an alternative: ASCII letters, digits, `-` and `_`.
pub fn is_plain_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// The requested name is not a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{asked}` is not a tier: give 0, 0:free, 0:memo, 0:workers, 0:LABEL, 1 to 4, or one of {}, which may be followed by #NAME of `[function.alternatives]`",
    variant_names()
)]
pub struct ParseRowError {
    asked: String,
}

fn variant_names() -> String {
    Variant::ALL.map(|variant| variant.name()).join(", ")
}

impl FromStr for Row {
    type Err = ParseRowError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let no_row = || ParseRowError { asked: text.to_owned() };
        if let Some(label) = text.strip_prefix("0:") {
            return match label {
                "free" => Ok(Row::Free),
                "memo" => Ok(Row::Wrapped(Wrapping::Memo)),
                "workers" => Ok(Row::Wrapped(Wrapping::Workers)),
                _ if is_plain_word(label) => Ok(Row::Baseline(Some(label.to_owned()))),
                _ => Err(no_row()),
            };
        }
        if let Some((base, name)) = text.split_once('#') {
            let variant = Variant::ALL.into_iter().find(|variant| variant.name() == base);
            let variant = variant.filter(|_| is_plain_word(name)).ok_or_else(no_row)?;
            return Ok(Row::Alternative(variant, name.to_owned()));
        }
        match text {
            "0" => return Ok(Row::Baseline(None)),
            "1" | "2" | "3" | "4" => {
                let tier = Tier::ALL.into_iter().find(|tier| tier.number().to_string() == text);
                return tier.map(Row::Tier).ok_or_else(no_row);
            }
            _ => {}
        }
        let variant = Variant::ALL.into_iter().find(|variant| variant.name() == text);
        variant.map(Row::Variant).ok_or_else(no_row)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Row::Baseline(None) => f.pad("0"),
            Row::Baseline(Some(label)) => f.pad(&format!("0:{label}")),
            Row::Free => f.pad("0:free"),
            Row::Wrapped(wrapping) => f.pad(&format!("0:{}", wrapping.word())),
            Row::Tier(tier) => f.pad(&tier.number().to_string()),
            Row::Variant(variant) => f.pad(&variant.name()),
            Row::Alternative(variant, name) => f.pad(&format!("{variant}#{name}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_back_as_it_is_written() {
        let mut rows = vec![Row::Baseline(None), Row::Baseline(Some("tuned".into())), Row::Free];
        rows.extend(Tier::ALL[1..].iter().copied().map(Row::Tier));
        rows.extend(Variant::ALL.map(Row::Variant));
        rows.extend(Wrapping::ALL.map(Row::Wrapped));
        rows.extend(Variant::ALL.map(|variant| Row::Alternative(variant, "by-hand".into())));
        for row in rows {
            assert_eq!(row.to_string().parse(), Ok(row));
        }
    }

    #[test]
    fn unknown_rows_are_refused_with_the_choices() {
        for text in
            ["", "5", "2:native", "native", "0:", "0:a b", "-1", "3:native#", "3:native#a#b", "3#fast", "0#fast"]
        {
            let error = text.parse::<Row>().unwrap_err().to_string();
            assert!(error.contains("2:component"), "{error}");
        }
    }

    #[test]
    fn every_variant_belongs_to_its_tier() {
        for tier in Tier::ALL {
            assert!(Variant::at(tier).iter().all(|variant| variant.tier() == tier));
        }
        assert_eq!(Tier::ALL.iter().map(|tier| Variant::at(*tier).len()).sum::<usize>(), Variant::ALL.len());
    }
}
