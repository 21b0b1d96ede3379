//! Every key of `tierup.toml`: its type, default, example and meaning. The reader refuses what is not here and suggests the
//! nearest name, [`schema`] is made from here, and so is `docs/reference/tierup-toml.md`.

mod kind;
mod schema;
mod table;
#[cfg(test)]
mod tests;

use kind::Kind;
pub use schema::schema;

/// A table of `tierup.toml`.
pub(crate) struct Section {
    /// As people name it; `*` stands for a name of the user's. Empty: the file itself.
    pub(crate) name: &'static str,
    about: &'static str,
    keys: &'static [Key],
}

/// A key of a table.
struct Key {
    name: &'static str,
    kind: Kind,
    default: Default,
    /// A value, as TOML.
    example: &'static str,
    about: &'static str,
}

enum Default {
    Required,
    /// A value, as TOML.
    Is(&'static str),
    /// In words.
    Means(&'static str),
}

impl Section {
    /// The table that people name like this. Tables whose keys are all the user's own have no section.
    pub(crate) fn of(name: &str) -> Option<&'static Section> {
        let general = match name.strip_prefix("host.") {
            Some(host) => host.split_once('.').map_or("host.*".to_owned(), |(_, rest)| format!("host.*.{rest}")),
            None => name.to_owned(),
        };
        table::SECTIONS.iter().find(|section| section.name == general)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|key| key.name)
    }

    /// The lines that write every default out.
    #[cfg(test)]
    pub(crate) fn defaults(&self) -> impl Iterator<Item = String> {
        self.keys.iter().filter_map(|key| match key.default {
            Default::Is(value) => Some(format!("{} = {value}\n", key.name)),
            Default::Required | Default::Means(_) => None,
        })
    }
}
