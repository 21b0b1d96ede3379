//! What a file declares, by name.

use std::collections::BTreeMap;

use super::written::{Member, Written};

/// The head of a function.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::declared) struct Signature {
    pub(in crate::declared) line: u32,
    pub(in crate::declared) parameters: Vec<Member>,
    pub(in crate::declared) answer: Written,
    pub(in crate::declared) is_generic: bool,
    /// The type of the function's variable, as in `const price: Pricer = (lines) => …`. Own annotations precede.
    pub(in crate::declared) told: Option<Written>,
    /// Whether the function has its own head, and not only the type of its variable.
    pub(in crate::declared) has_head: bool,
}

impl Signature {
    /// Whether any type is declared.
    pub(in crate::declared) fn is_typed(&self) -> bool {
        self.told.is_some() || self.is_annotated()
    }

    /// Whether the function's own head has a type.
    pub(in crate::declared) fn is_annotated(&self) -> bool {
        self.parameters.iter().map(|one| &one.ty).chain([&self.answer]).any(|ty| *ty != Written::Missing)
    }

    /// Whether two heads have the same types.
    fn is_like(&self, other: &Signature) -> bool {
        Signature { line: other.line, ..self.clone() } == *other
    }
}

/// A name from another file: the file's specifier, and the name there, which may be `default`.
pub(in crate::declared) type Elsewhere = (String, String);

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
