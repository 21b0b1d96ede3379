//! The declarations of a crate's files: modules, the items in them, and their `use` imports. Nothing is resolved yet.

use proc_macro2::Span;
use tierup_diagnostic::Place;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ModuleId(pub(crate) usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ItemId(pub(crate) usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FileId(pub(crate) usize);

/// The parts of a crate that can be seen without expanding macros. Names are without `r#` throughout.
#[derive(Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
    /// The first is the crate's root.
    pub(crate) modules: Vec<Module>,
    pub(crate) items: Vec<Item>,
    /// The attributes of the root file.
    pub(crate) attributes: Vec<syn::Attribute>,
}

pub(crate) struct File {
    pub(crate) path: String,
    /// The text without a byte order mark, so that its lines and columns match those of spans.
    pub(crate) text: String,
}

pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) parent: Option<ModuleId>,
    pub(crate) visibility: Visibility,
    pub(crate) file: FileId,
    pub(crate) imports: Vec<Import>,
}

pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) module: ModuleId,
    pub(crate) visibility: Visibility,
    /// The span of its name.
    pub(crate) span: Span,
    pub(crate) kind: ItemKind,
}

pub(crate) enum ItemKind {
    Function(Box<syn::ItemFn>),
    Struct(Box<syn::ItemStruct>),
    Enum(Box<syn::ItemEnum>),
    Union,
    Alias(Box<syn::ItemType>),
    Module(ModuleId),
    Other(Other),
}

/// Items that are distinguished only so that a refusal can name their kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Other {
    Constant,
    Static,
    Trait,
    Macro,
    ForeignFunction,
}

/// The modules that can name an item or an import.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Visibility {
    Public,
    /// This module and its contents.
    Within(ModuleId),
}

/// One name, or one `*`, that a `use` brings into a module.
pub(crate) struct Import {
    pub(crate) visibility: Visibility,
    pub(crate) path: Path,
    /// `None` is `*`.
    pub(crate) name: Option<String>,
}

/// A path as it was written, without generic arguments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Path {
    /// `::name`: starts at another crate.
    pub(crate) is_absolute: bool,
    pub(crate) segments: Vec<String>,
}

impl Tree {
    pub(crate) const ROOT: ModuleId = ModuleId(0);

    pub(crate) fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0]
    }

    pub(crate) fn item(&self, id: ItemId) -> &Item {
        &self.items[id.0]
    }

    /// The names from the root down to a module; the root's own is empty.
    pub(crate) fn module_path(&self, id: ModuleId) -> Vec<String> {
        let mut path = Vec::new();
        let mut module = self.module(id);
        while let Some(parent) = module.parent {
            path.push(module.name.clone());
            module = self.module(parent);
        }
        path.reverse();
        path
    }

    /// Where an item is defined, e.g. `shapes::Shape`, for people to read.
    pub(crate) fn item_path(&self, id: ItemId) -> String {
        let item = self.item(id);
        let mut path = self.module_path(item.module);
        path.push(item.name.clone());
        path.join("::")
    }

    /// Whether `inner` is `outer` or somewhere in it.
    pub(crate) fn is_within(&self, inner: ModuleId, outer: ModuleId) -> bool {
        let mut module = Some(inner);
        while let Some(id) = module {
            if id == outer {
                return true;
            }
            module = self.module(id).parent;
        }
        false
    }

    pub(crate) fn is_visible(&self, visibility: Visibility, from: ModuleId) -> bool {
        match visibility {
            Visibility::Public => true,
            Visibility::Within(module) => self.is_within(from, module),
        }
    }

    /// The narrower of two visibilities.
    pub(crate) fn narrower(&self, a: Visibility, b: Visibility) -> Visibility {
        match (a, b) {
            (Visibility::Public, other) => other,
            (Visibility::Within(a), Visibility::Within(b)) if self.is_within(b, a) => Visibility::Within(b),
            (narrow, _) => narrow,
        }
    }

    pub(crate) fn item_ids(&self) -> impl Iterator<Item = ItemId> {
        (0..self.items.len()).map(ItemId)
    }

    /// The place of a part of a module's file.
    pub(crate) fn place(&self, module: ModuleId, span: Span) -> Place {
        let file = &self.files[self.module(module).file.0];
        Place::new(&file.path, &file.text, span.byte_range())
    }

    /// The place of an item's name.
    pub(crate) fn place_of(&self, id: ItemId) -> Place {
        let item = self.item(id);
        self.place(item.module, item.span)
    }
}

impl ItemKind {
    /// The noun with its article, for messages.
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            ItemKind::Function(_) => "a function",
            ItemKind::Struct(_) => "a struct",
            ItemKind::Enum(_) => "an enum",
            ItemKind::Union => "a union",
            ItemKind::Alias(_) => "a type alias",
            ItemKind::Module(_) => "a module",
            ItemKind::Other(Other::Constant) => "a constant",
            ItemKind::Other(Other::Static) => "a static",
            ItemKind::Other(Other::Trait) => "a trait",
            ItemKind::Other(Other::Macro) => "a macro",
            ItemKind::Other(Other::ForeignFunction) => "a function of another language",
        }
    }
}
