//! What a file declares, by name.

use std::collections::BTreeMap;

use super::written::{Elsewhere, Signature, Written};

#[derive(Debug, Default)]
pub(in crate::declared) struct Module {
    pub(in crate::declared) functions: BTreeMap<String, Vec<Signature>>,
    /// Functions in classes, objects and namespaces, with the names of these.
    pub(super) within: BTreeMap<String, Vec<(String, Signature)>>,
    pub(in crate::declared) types: BTreeMap<String, Written>,
    /// The types of constants.
    pub(in crate::declared) values: BTreeMap<String, Written>,
    /// Names of generic types, which are not read.
    pub(in crate::declared) generic: Vec<String>,
    /// Imported and re-exported names. `*` stands for the whole file.
    pub(in crate::declared) elsewhere: BTreeMap<String, Elsewhere>,
    /// Names in this file by their exported names, as in `export { Line as BasketLine }`.
    pub(in crate::declared) renamed: BTreeMap<String, String>,
    /// The files of `export * from …`.
    pub(in crate::declared) all_of: Vec<String>,
}

impl Module {
    /// The heads of a function: several if it is overloaded. One in a class, object or namespace counts if no other has
    /// the name.
    ///
    /// # Errors
    /// Several functions have the name. The error lists what they are in.
    pub(in crate::declared) fn heads(&self, name: &str) -> Option<Result<Vec<Signature>, Vec<String>>> {
        if let Some(heads) = self.functions.get(name) {
            return Some(Ok(heads.clone()));
        }
        let within = self.within.get(name)?;
        let (owner, first) = within.first()?;
        let alike = within.iter().all(|(_, head)| head.is_like(first));
        Some(match (alike, within.iter().all(|(other, _)| other == owner)) {
            (true, _) => Ok(vec![first.clone()]),
            (false, true) => Ok(within.iter().map(|(_, head)| head.clone()).collect()),
            (false, false) => Err(within.iter().map(|(owner, _)| owner.clone()).collect()),
        })
    }
}
