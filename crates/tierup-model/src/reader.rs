//! The second pass: the meaning of the declared names. This file holds the state and reports problems. The reading is
//! in `meaning` (what a type is), `types` (what crosses), `definitions` and `functions`.

use crate::interface::{Definition, Type};
use crate::public::PublicPaths;
use crate::scope::Scopes;
use crate::tree::{ItemId, ModuleId, Tree};
use proc_macro2::Span;
use std::collections::BTreeMap;
use std::rc::Rc;
use syn::spanned::Spanned;
use tierup_diagnostic::{Diagnostic, Place};

/// How deep types within types are followed. Hosts nest as deep when they encode, so this also guards their stacks.
pub(crate) const MAX_DEPTH: usize = 64;

pub(crate) struct Reader<'a> {
    pub(crate) library: &'a str,
    pub(crate) tree: &'a Tree,
    pub(crate) scopes: &'a Scopes<'a>,
    pub(crate) public: &'a PublicPaths,
    pub(crate) problems: Vec<Diagnostic>,
    /// In the order of [`Interface::definitions`](crate::Interface::definitions).
    pub(crate) definitions: Vec<Definition>,
    pub(crate) states: BTreeMap<ItemId, State>,
    /// The definitions that are being read, each nested in the previous one.
    pub(crate) open: Vec<ItemId>,
    /// How many types enclose the one that is being read.
    pub(crate) depth: usize,
}

/// The progress in reading a definition.
pub(crate) enum State {
    Open,
    /// Its index.
    Read(usize),
    /// Its problems have been reported.
    Refused,
}

/// A type as written in the source, with the meaning of names at that place.
#[derive(Clone)]
pub(crate) struct Written<'a> {
    pub(crate) ty: &'a syn::Type,
    pub(crate) context: Context<'a>,
}

#[derive(Clone)]
pub(crate) struct Context<'a> {
    pub(crate) module: ModuleId,
    /// The arguments for the generic parameters in scope. `None`: the argument has been refused already.
    pub(crate) arguments: Rc<BTreeMap<String, Option<Written<'a>>>>,
    /// `Self`
    pub(crate) this: Option<ItemId>,
}

/// A type that can cross.
pub(crate) struct Read {
    pub(crate) ty: Type,
    /// As in [`Parameter::rust`](crate::Parameter::rust).
    pub(crate) rust: String,
}

impl<'a> Context<'a> {
    pub(crate) fn new(module: ModuleId) -> Self {
        Context { module, arguments: Rc::default(), this: None }
    }

    pub(crate) fn written(&self, ty: &'a syn::Type) -> Written<'a> {
        Written { ty, context: self.clone() }
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(library: &'a str, tree: &'a Tree, scopes: &'a Scopes<'a>, public: &'a PublicPaths) -> Self {
        Reader {
            library,
            tree,
            scopes,
            public,
            problems: Vec::new(),
            definitions: Vec::new(),
            states: BTreeMap::new(),
            open: Vec::new(),
            depth: 0,
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }

    /// Reports a problem at a part of a module's file.
    pub(crate) fn refuse_at(&mut self, module: ModuleId, span: Span, message: String, label: &str, hint: String) {
        let place = self.tree.place(module, span);
        self.report(labelled(Diagnostic::new(message).at(place), label).hint(hint));
    }

    /// Reports a problem at a type, as written in the source.
    pub(crate) fn refuse(&mut self, written: &Written<'a>, message: String, label: &str, hint: String) {
        self.refuse_at(written.context.module, written.ty.span(), message, label, hint);
    }

    /// The most common refusal.
    pub(crate) fn cannot_cross(&mut self, written: &Written<'a>, label: &str, hint: impl Into<String>) {
        let message = format!("`{}` cannot cross to a host", text_of(written.ty));
        self.refuse(written, message, label, hint.into());
    }

    pub(crate) fn place_of(&self, item: ItemId) -> Place {
        self.tree.place_of(item)
    }
}

fn labelled(diagnostic: Diagnostic, label: &str) -> Diagnostic {
    if label.is_empty() { diagnostic } else { diagnostic.label(label) }
}

/// How the source spells something, on one line, cut where it is too long to read.
pub(crate) fn text_of(part: &impl Spanned) -> String {
    const LONGEST: usize = 100;
    let text = part.span().source_text().unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
