//! The types that cross: by value anywhere, text and bytes also borrowed, and `Result` only as a whole answer.

use crate::interface::{Integer, Passing, Type};
use crate::meaning::{Map, Meaning, Reference};
use crate::reader::{MAX_DEPTH, Read, Reader, Written, text_of};

/// Where a type stands, which decides what it may borrow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Role {
    /// In a parameter: text and bytes may be borrowed from the arguments.
    Parameter,
    /// In the return type: text and bytes may be borrowed from the parameters, or be `'static`.
    Output,
    /// In a record or enum: everything is owned.
    Field,
}

impl<'a> Reader<'a> {
    /// A type by value. `None`: a problem has been reported.
    pub(crate) fn read(&mut self, written: &Written<'a>, role: Role) -> Option<Read> {
        if self.depth >= MAX_DEPTH {
            let message = format!("types nest deeper than {MAX_DEPTH} levels here");
            self.refuse(
                written,
                message,
                "",
                "nest types less deeply; a type alias must not refer to itself".to_string(),
            );
            return None;
        }
        self.depth += 1;
        let read = self.read_inner(written, role);
        self.depth -= 1;
        read
    }

    fn read_inner(&mut self, written: &Written<'a>, role: Role) -> Option<Read> {
        match self.meaning(written)? {
            Meaning::Unit => {
                self.cannot_cross(written, "it has no content", "leave it out, or use `bool`");
                None
            }
            Meaning::Scalar(scalar) => Some(Read { ty: scalar.ty(), rust: scalar.rust().to_string() }),
            Meaning::String => Some(Read { ty: Type::Text, rust: "::std::string::String".to_string() }),
            Meaning::Str => {
                let hint = if role == Role::Field { "use `String`" } else { "use `&str` or `String`" };
                self.cannot_cross(written, "its size is not known at compile time", hint);
                None
            }
            Meaning::Slice(item) => {
                let item = text_of(item.ty);
                let hint = if role == Role::Field {
                    format!("use `Vec<{item}>`")
                } else {
                    format!("use `&[{item}]` or `Vec<{item}>`")
                };
                self.cannot_cross(written, "its size is not known at compile time", hint);
                None
            }
            Meaning::Vec(item) => self
                .read(&item, role)
                .map(|item| Read { ty: list_of(item.ty), rust: format!("::std::vec::Vec<{}>", item.rust) }),
            Meaning::Option(value) => self.read_option(written, &value, role),
            Meaning::Map(map) => self.read_map(map, role),
            Meaning::Result(_) => {
                let hint = "return one `Result<…, E>` as the outermost type, or use an enum for the possible errors";
                self.cannot_cross(written, "a `Result` is only supported as the outermost return type", hint);
                None
            }
            Meaning::Reference(reference) => self.read_borrowed(written, &reference, role),
            Meaning::Defined(item) => {
                let index = self.definition(item, written)?;
                Some(Read { ty: Type::Defined(index), rust: self.definitions[index].path.clone() })
            }
        }
    }

    fn read_option(&mut self, written: &Written<'a>, value: &Written<'a>, role: Role) -> Option<Read> {
        let value = self.read(value, role)?;
        if let Type::Optional(_) = value.ty {
            let hint = "use one `Option`, or an enum with a variant for each kind of absence";
            self.cannot_cross(written, "hosts cannot tell the two kinds of `None` apart", hint);
            return None;
        }
        Some(Read { ty: Type::Optional(Box::new(value.ty)), rust: format!("::std::option::Option<{}>", value.rust) })
    }

    fn read_map(&mut self, map: Map<'a>, role: Role) -> Option<Read> {
        let key = self.meaning(&map.key);
        if !matches!(key, None | Some(Meaning::String)) {
            let hint = match key {
                Some(Meaning::Reference(_) | Meaning::Str) => "use `String`",
                _ => "use `String` keys, or a `Vec` of structs with a field for the key",
            };
            let message = format!("`{}` is not supported as the key of a map", text_of(map.key.ty));
            self.refuse(&map.key, message, "many hosts support only text keys", hint.to_string());
        }
        let value = self.read(&map.value, role)?;
        let rust = format!("{}<::std::string::String, {}>", map.rust, value.rust);
        matches!(key, Some(Meaning::String)).then(|| Read { ty: Type::Map(Box::new(value.ty)), rust })
    }

    /// A reference that is not the outermost layer of a parameter: `&str` or `&[u8]`.
    fn read_borrowed(&mut self, written: &Written<'a>, reference: &Reference<'a>, role: Role) -> Option<Read> {
        if reference.is_mutable {
            return self.refuse_mutable(written);
        }
        let (ty, rust, owned) = match self.meaning(&reference.to)? {
            Meaning::Str => (Type::Text, "str", "String"),
            Meaning::Slice(item) => match self.read(&item, role)?.ty {
                Type::Integer(Integer::U8) => (Type::Bytes, "[u8]", "Vec<u8>"),
                _ => {
                    let hint = format!("use `Vec<{}>`", text_of(item.ty));
                    self.cannot_cross(written, "only text and bytes can be borrowed here", hint);
                    return None;
                }
            },
            _ => {
                let hint = format!("use `{}` by value", text_of(reference.to.ty));
                let label = if role == Role::Field {
                    "a field must own its value"
                } else {
                    "only text and bytes can be borrowed here"
                };
                self.cannot_cross(written, label, hint);
                return None;
            }
        };
        match role {
            Role::Field => {
                self.cannot_cross(written, "a field must own its value", format!("use `{owned}`"));
                None
            }
            Role::Parameter if reference.is_static => self.refuse_static(written, rust),
            Role::Output if reference.is_static => Some(Read { ty, rust: format!("&'static {rust}") }),
            Role::Parameter | Role::Output => Some(Read { ty, rust: format!("&{rust}") }),
        }
    }

    /// A whole parameter, which may be any reference.
    pub(crate) fn read_parameter(&mut self, written: &Written<'a>) -> Option<(Read, Passing)> {
        let Meaning::Reference(reference) = self.meaning(written)? else {
            return Some((self.read(written, Role::Parameter)?, Passing::Value));
        };
        if reference.is_mutable {
            return self.refuse_mutable(written);
        }
        let to = &reference.to;
        let (lent, rust, owned) = match self.meaning(to)? {
            Meaning::Str => return Some((self.read(written, Role::Parameter)?, Passing::Value)),
            Meaning::Slice(item) => {
                let item = self.read(&item, Role::Parameter)?;
                if item.ty == Type::Integer(Integer::U8) {
                    return Some((self.read(written, Role::Parameter)?, Passing::Value));
                }
                (list_of(item.ty), format!("&[{}]", item.rust), format!("::std::vec::Vec<{}>", item.rust))
            }
            Meaning::Reference(_) => {
                self.cannot_cross(
                    written,
                    "references to references are not supported",
                    format!("use `{}`", text_of(to.ty)),
                );
                return None;
            }
            _ => {
                let to = self.read(to, Role::Parameter)?;
                (to.ty, format!("&{}", to.rust), to.rust)
            }
        };
        if reference.is_static {
            return self.refuse_static(written, &text_of(to.ty));
        }
        Some((Read { ty: lent, rust }, Passing::Lent { owned }))
    }

    fn refuse_mutable<T>(&mut self, written: &Written<'a>) -> Option<T> {
        let hint = "take the value, and return the changed value";
        self.cannot_cross(written, "hosts pass copies, so a change would be lost", hint);
        None
    }

    fn refuse_static<T>(&mut self, written: &Written<'a>, to: &str) -> Option<T> {
        self.cannot_cross(written, "arguments live only as long as the call", format!("use `&{to}`"));
        None
    }
}

/// A list, or bytes.
fn list_of(item: Type) -> Type {
    match item {
        Type::Integer(Integer::U8) => Type::Bytes,
        item => Type::List(Box::new(item)),
    }
}
