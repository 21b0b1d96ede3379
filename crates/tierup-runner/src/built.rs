//! `built.json`, the record of which variants of a host's package were built. The package reads it when it loads.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use tierup_codegen::Variant;

use crate::{Error, Result, files};

/// The record of one package.
#[derive(Debug)]
pub struct BuildRecord {
    path: PathBuf,
    content: Content,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    /// The hash of the interface that everything in here was built for.
    abi: String,
    /// An absent variant was never built, or its build did not finish.
    variants: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    built: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl BuildRecord {
    /// The record in `folder`, without variants for another interface. A damaged record begins anew: it only costs a
    /// build.
    ///
    /// # Errors
    /// The record cannot be read or written.
    pub fn open(folder: &Path, abi: &str) -> Result<BuildRecord> {
        let path = folder.join("built.json");
        let text = files::read_text(&path)?;
        let content = text.and_then(|text| serde_json::from_str::<Content>(&text).ok());
        let content = content
            .filter(|content| content.abi == abi)
            .unwrap_or_else(|| Content { abi: abi.to_owned(), ..Content::default() });
        let record = BuildRecord { path, content };
        record.save()?;
        Ok(record)
    }

    pub fn is_built(&self, variant: Variant) -> bool {
        self.content.variants.get(&variant.name()).is_some_and(|entry| entry.built)
    }

    /// Why a variant is not available, if its build gave a reason.
    pub fn reason(&self, variant: Variant) -> Option<&str> {
        self.content.variants.get(&variant.name())?.reason.as_deref()
    }

    /// Must be called before a build starts, so that a variant whose build is interrupted does not count as built.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn begin(&mut self, variant: Variant) -> Result<()> {
        self.content.variants.remove(&variant.name());
        self.save()
    }

    /// Must be called after a build succeeded.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn built(&mut self, variant: Variant) -> Result<()> {
        self.put(variant, Entry { built: true, reason: None })
    }

    /// Must be called if a variant is not available, with a reason for people.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn not_built(&mut self, variant: Variant, reason: &str) -> Result<()> {
        self.put(variant, Entry { built: false, reason: Some(reason.to_owned()) })
    }

    fn put(&mut self, variant: Variant, entry: Entry) -> Result<()> {
        self.content.variants.insert(variant.name(), entry);
        self.save()
    }

    fn save(&self) -> Result<()> {
        let mut text = serde_json::to_string_pretty(&self.content)
            .map_err(|error| Error::Record { path: self.path.clone(), reason: error.to_string() })?;
        text.push('\n');
        files::write_file(&self.path, text.as_bytes()).map(drop)
    }
}
