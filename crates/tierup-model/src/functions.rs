//! Exported functions: which of them generated code can call, and with which types.

use crate::definitions::opaque;
use crate::docs::docs;
use crate::interface::{Function, Output, Parameter};
use crate::meaning::{Meaning, ResultType};
use crate::public::{absolute, not_nameable};
use crate::reader::{Context, Reader, Written};
use crate::tree::{ItemId, ModuleId};
use crate::types::Role;
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{FnArg, GenericParam, Pat, ReturnType, Safety, Signature};

impl<'a> Reader<'a> {
    /// A function under its exported name. `None`: a problem has been reported.
    pub(crate) fn function(&mut self, name: String, id: ItemId, item: &'a syn::ItemFn) -> Option<Function> {
        let module = self.tree.item(id).module;
        let path = self.public.path(id).map(|path| absolute(self.library, path));
        if path.is_none() {
            let diagnostic = not_nameable(self.tree, id);
            self.report(diagnostic);
        }
        let is_callable = self.check_callable(module, &item.sig);
        let context = opaque(&item.sig.generics, &Context::new(module));
        let parameters = self.read_parameters(&item.sig, &context);
        let output = self.read_output(&item.sig.output, &context);
        is_callable.then_some(())?;
        Some(Function { name, path: path?, docs: docs(&item.attrs), parameters: parameters?, output: output? })
    }

    fn check_callable(&mut self, module: ModuleId, signature: &Signature) -> bool {
        let before = self.problems.len();
        if let Some(token) = &signature.asyncness {
            let hint = "remove `async`: tierup keeps the call off the event loop if the host has one";
            self.refuse_at(
                module,
                token.span(),
                "an `async fn` cannot be exported".to_string(),
                "tierup has no async executor",
                hint.to_string(),
            );
        }
        if let Safety::Unsafe(token) = &signature.safety {
            let hint = "export a safe function that checks the preconditions of this one and calls it";
            self.refuse_at(
                module,
                token.span(),
                "an `unsafe fn` cannot be exported".to_string(),
                "hosts cannot guarantee its preconditions",
                hint.to_string(),
            );
        }
        if let Some(abi) = &signature.abi {
            let hint = "remove it: the C interface is generated, and this stays a plain Rust function";
            self.refuse_at(
                module,
                abi.span(),
                "an `extern` function cannot be exported".to_string(),
                "it uses another calling convention",
                hint.to_string(),
            );
        }
        if let Some(variadic) = &signature.variadic {
            let hint = "use a `Vec` or a slice for any number of values";
            self.refuse_at(
                module,
                variadic.span(),
                "a function with `...` cannot be exported".to_string(),
                "",
                hint.to_string(),
            );
        }
        for parameter in &signature.generics.params {
            let name = match parameter {
                GenericParam::Lifetime(_) => continue,
                GenericParam::Type(parameter) => &parameter.ident,
                GenericParam::Const(parameter) => &parameter.ident,
            };
            let message = format!("`{}` is generic over `{name}`, so it cannot be exported", signature.ident);
            let hint = format!("replace `{name}` by a concrete type, or export a function that does so");
            self.refuse_at(module, parameter.span(), message, "generic functions are not supported", hint);
        }
        self.problems.len() == before
    }

    fn read_parameters(&mut self, signature: &'a Signature, context: &Context<'a>) -> Option<Vec<Parameter>> {
        let names = names(signature);
        let mut parameters = Some(Vec::new());
        for (argument, name) in signature.inputs.iter().zip(names) {
            let read = match argument {
                FnArg::Typed(argument) => self.read_parameter(&context.written(&argument.ty)),
                FnArg::Receiver(receiver) => {
                    let message = "a method cannot be exported".to_string();
                    let hint = "write a function that takes the value as an ordinary parameter".to_string();
                    self.refuse_at(context.module, receiver.span(), message, "", hint);
                    None
                }
            };
            match (read, &mut parameters) {
                (Some((read, passing)), Some(parameters)) => {
                    parameters.push(Parameter { name, ty: read.ty, rust: read.rust, passing });
                }
                _ => parameters = None,
            }
        }
        parameters
    }

    fn read_output(&mut self, output: &'a ReturnType, context: &Context<'a>) -> Option<Output> {
        let unit = |fallible| Output { ty: None, rust: "()".to_string(), fallible };
        let ReturnType::Type(_, ty) = output else { return Some(unit(false)) };
        let written = context.written(ty);
        match self.meaning(&written)? {
            Meaning::Unit => Some(unit(false)),
            Meaning::Result(ResultType { value, error }) => {
                let is_error_fine = error.is_none_or(|error| self.check_error(&error));
                let output = match value {
                    None => Some(unit(true)),
                    Some(value) => self.read_value(&value, true),
                };
                output.filter(|_| is_error_fine)
            }
            _ => self.read_value(&written, false),
        }
    }

    fn read_value(&mut self, value: &Written<'a>, fallible: bool) -> Option<Output> {
        if let Meaning::Unit = self.meaning(value)? {
            return Some(Output { ty: None, rust: "()".to_string(), fallible });
        }
        let read = self.read(value, Role::Output)?;
        Some(Output { ty: Some(read.ty), rust: read.rust, fallible })
    }

    /// `rustc` checks that an error has `Display`. `()` is refused here because it is a common mistake.
    fn check_error(&mut self, error: &Written<'a>) -> bool {
        if !matches!(error.ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty()) {
            return true;
        }
        let message = "`()` is not supported as an error".to_string();
        let hint = "use `String`, or any type with `Display`".to_string();
        self.refuse(error, message, "it has no message", hint);
        false
    }
}

/// The names of the parameters; `arg0`, `arg1`… for those without a name in the source.
fn names(signature: &Signature) -> Vec<String> {
    let declared: Vec<Option<String>> = signature
        .inputs
        .iter()
        .map(|argument| match argument {
            FnArg::Typed(argument) => match &*argument.pat {
                Pat::Ident(pattern) => Some(pattern.ident.unraw().to_string()),
                _ => None,
            },
            FnArg::Receiver(_) => None,
        })
        .collect();
    let mut taken: BTreeSet<String> = declared.iter().flatten().cloned().collect();
    let names = declared.into_iter().enumerate().map(|(index, name)| {
        name.unwrap_or_else(|| {
            let mut name = format!("arg{index}");
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            name
        })
    });
    names.collect()
}
