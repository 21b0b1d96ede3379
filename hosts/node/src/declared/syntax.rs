//! The declarations of a file in TypeScript, or in JavaScript with JSDoc. In: its text. Out: a [`Module`], which holds
//! no data of the parser.

mod class;
mod jsdoc;
mod module;
mod value;
mod written;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    AssignmentExpression, AssignmentTarget, Declaration, ExportDefaultDeclarationKind, Expression, FormalParameter,
    FormalParameters, Function, ImportDeclaration, ImportDeclarationSpecifier, Statement, TSInterfaceDeclaration,
    TSNamespaceDeclaration, TSNamespaceDeclarationBody, TSTypeAnnotation,
};
use oxc_parser::Parser;
use oxc_span::{GetSpan as _, SourceType};

pub(super) use self::module::Module;
pub(super) use self::written::{COMPUTED, FUNCTION, METHODS, Member, NAMESPACE, Signature, Written};
use self::{
    jsdoc::Docs,
    written::{members, named, of_enum, written},
};

/// Why a function with any number of arguments cannot cross.
const REST: &str = "a rest parameter (`...`): pass an array";

/// The declarations of a file, or nothing if the parser gave up.
pub(super) fn module(text: &str, file: &str) -> Option<Module> {
    let allocator = Allocator::default();
    let kind = SourceType::from_path(file).ok()?;
    let parsed = Parser::new(&allocator, text, kind).parse();
    if parsed.panicked {
        return None;
    }
    let comments = parsed.program.comments.iter().filter(|comment| kind.is_javascript() && comment.is_jsdoc());
    let comments = comments.map(|comment| (comment.attached_to, jsdoc::docs(comment.content_span().source_text(text))));
    let mut reader = Reader { text, module: Module::default(), comments: comments.collect(), start: 0, owner: None };
    reader.comments();
    parsed.program.body.iter().for_each(|statement| reader.statement(statement));
    Some(reader.module)
}

struct Reader<'t> {
    text: &'t str,
    module: Module,
    /// JSDoc comments, with the position of the code after them. TypeScript's comments are ignored.
    comments: Vec<(u32, Docs)>,
    /// Where the current statement begins.
    start: u32,
    /// The namespace of the current statement.
    owner: Option<String>,
}

impl Reader<'_> {
    /// Reads the types that comments define.
    fn comments(&mut self) {
        for at in 0..self.comments.len() {
            let (_, Docs { types, imports, is_generic, .. }) = &mut self.comments[at];
            let (types, imports, is_generic) = (std::mem::take(types), std::mem::take(imports), *is_generic);
            types.into_iter().for_each(|(name, ty)| self.ty(name, ty, is_generic));
            for text in imports {
                let allocator = Allocator::default();
                let parsed = Parser::new(&allocator, &text, SourceType::ts()).parse();
                if let Some(Statement::ImportDeclaration(import)) = parsed.program.body.first() {
                    self.import(import);
                }
            }
        }
    }

    fn import(&mut self, import: &ImportDeclaration<'_>) {
        for specifier in import.specifiers.iter().flatten() {
            let (local, there) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(one) => (&one.local, one.imported.name().to_string()),
                ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => (&one.local, "default".to_owned()),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => (&one.local, "*".to_owned()),
            };
            self.module.elsewhere.insert(local.name.to_string(), (import.source.value.to_string(), there));
        }
    }

    fn assigned(&mut self, one: &AssignmentExpression<'_>) {
        let AssignmentTarget::StaticMemberExpression(to) = &one.left else { return };
        let own = match &one.right {
            Expression::FunctionExpression(function) => function.id.as_ref().map(|id| id.name.to_string()),
            _ => None,
        };
        let name = own.unwrap_or_else(|| to.property.name.to_string());
        self.bound(None, &name, one.right.span().start, &one.right, None);
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        self.start = statement.span().start;
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            // For example `exports.price = (lines) => …`.
            Statement::ExpressionStatement(one) => {
                if let Expression::AssignmentExpression(one) = &one.expression {
                    self.assigned(one);
                }
            }
            Statement::ExportFromDeclaration(export) => {
                for one in &export.specifiers {
                    let from = (export.source.value.to_string(), one.local.name().to_string());
                    self.module.elsewhere.insert(one.exported.name().to_string(), from);
                }
            }
            Statement::ExportNamedDeclaration(export) => {
                let renamed = export.specifiers.iter().filter(|one| one.local.name() != one.exported.name());
                let renamed = renamed.map(|one| (one.exported.name().to_string(), one.local.name().to_string()));
                self.module.renamed.extend(renamed);
            }
            Statement::ExportAllDeclaration(export) => {
                let from = export.source.value.to_string();
                match &export.exported {
                    None => self.module.all_of.push(from),
                    Some(name) => {
                        self.module.elsewhere.insert(name.name().to_string(), (from, "*".to_owned()));
                    }
                }
            }
            Statement::ExportDeclaration(export) => self.declaration(&export.declaration),
            Statement::ExportDefaultDeclaration(export) => {
                let name = match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        self.function(function);
                        function.id.as_ref().map(|id| id.name.to_string())
                    }
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                        self.interface(interface);
                        Some(interface.id.name.to_string())
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        let name = class.id.as_ref().map_or("default", |id| id.name.as_str());
                        self.class(name, class);
                        Some(name.to_owned()).filter(|name| name != "default")
                    }
                    ExportDefaultDeclarationKind::Identifier(identifier) => Some(identifier.name.to_string()),
                    other => {
                        if let Some(value) = other.as_expression() {
                            self.bound(None, "default", value.span().start, value, None);
                        }
                        None
                    }
                };
                self.module.renamed.extend(name.map(|name| ("default".to_owned(), name)));
            }
            other => {
                if let Some(declaration) = other.as_declaration() {
                    self.declaration(declaration);
                }
            }
        }
    }

    fn declaration(&mut self, declaration: &Declaration<'_>) {
        match declaration {
            Declaration::FunctionDeclaration(function) => self.function(function),
            Declaration::VariableDeclaration(variables) => {
                for one in &variables.declarations {
                    let Some(name) = one.id.get_identifier_name() else { continue };
                    let told = one.type_annotation.as_ref().map(|annotation| written(&annotation.type_annotation));
                    self.constant(&name, one.span.start, one.init.as_ref(), told);
                }
            }
            Declaration::TSTypeAliasDeclaration(alias) => {
                let ty = written(&alias.type_annotation);
                self.ty(alias.id.name.to_string(), ty, alias.type_parameters.is_some());
            }
            Declaration::TSInterfaceDeclaration(interface) => self.interface(interface),
            Declaration::TSEnumDeclaration(one) => {
                self.module.types.insert(one.id.name.to_string(), of_enum(one));
            }
            Declaration::ClassDeclaration(class) => {
                if let Some(id) = &class.id {
                    self.class(&id.name, class);
                }
            }
            Declaration::TSNamespaceDeclaration(namespace) => self.namespace(namespace),
            _ => {}
        }
    }

    fn namespace(&mut self, namespace: &TSNamespaceDeclaration<'_>) {
        let outer = self.owner.take();
        let name = &namespace.id.name;
        self.owner = Some(outer.as_ref().map_or_else(|| name.to_string(), |outer| format!("{outer}.{name}")));
        match &namespace.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => self.namespace(inner),
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                block.body.iter().for_each(|statement| self.statement(statement));
            }
        }
        self.owner = outer;
    }

    fn interface(&mut self, interface: &TSInterfaceDeclaration<'_>) {
        let mut parts: Vec<_> =
            interface.extends.iter().map(|one| named(&one.type_name, one.type_arguments.as_deref())).collect();
        parts.push(members(&interface.body.body));
        let name = interface.id.name.to_string();
        // TypeScript merges interfaces with the same name.
        if self.owner.is_none() {
            parts.extend(self.module.types.remove(&name));
        }
        let ty = if parts.len() == 1 { parts.remove(0) } else { Written::All(parts) };
        self.ty(name, ty, interface.type_parameters.is_some());
    }

    fn ty(&mut self, name: String, ty: Written, is_generic: bool) {
        match &self.owner {
            _ if is_generic => self.module.generic.push(name),
            // Inside the namespace, the type has its plain name.
            Some(owner) => {
                self.module.types.insert(format!("{owner}.{name}"), ty.clone());
                self.module.types.entry(name).or_insert(ty);
            }
            None => {
                self.module.types.insert(name, ty);
            }
        }
    }

    /// Adds a function. `owner` is the class or object that it is in, if any.
    fn add(&mut self, owner: Option<&str>, name: &str, head: Signature) {
        match owner.or(self.owner.as_deref()) {
            Some(owner) => {
                let owner = owner.to_owned();
                self.module.within.entry(name.to_owned()).or_default().push((owner, head));
            }
            None => self.module.functions.entry(name.to_owned()).or_default().push(head),
        }
    }

    fn function(&mut self, function: &Function<'_>) {
        if let Some(id) = &function.id {
            let head = self.head_of(function.span.start, function);
            self.add(None, &id.name, head);
        }
    }

    fn line(&self, at: u32) -> u32 {
        self.text[..at as usize].matches('\n').count() as u32 + 1
    }

    fn head_of(&self, start: u32, function: &Function<'_>) -> Signature {
        let is_generic = function.type_parameters.is_some();
        self.signature(start, &function.params, function.return_type.as_deref(), is_generic)
    }

    fn signature(
        &self,
        start: u32,
        parameters: &FormalParameters<'_>,
        answer: Option<&TSTypeAnnotation<'_>>,
        is_generic: bool,
    ) -> Signature {
        // The nearest comment that describes a function.
        let speaks =
            |docs: &&Docs| !docs.parameters.is_empty() || docs.answer.is_some() || docs.is_generic || docs.ty.is_some();
        let above = self.comments.iter().rev().filter(|(at, _)| *at == self.start).map(|(_, docs)| docs);
        let docs = above.into_iter().find(speaks);
        let plain = head(parameters, answer, is_generic);
        let line = self.line(start);
        let Some(docs) = docs else { return Signature { line, ..plain } };
        let told = |place: usize, one: &Member| {
            let apart = parameters.items.get(place).is_some_and(|one| one.pattern.get_identifier_name().is_none());
            let by_place = docs.parameters.get(place).filter(|_| apart);
            by_place.or_else(|| docs.parameters.iter().find(|told| told.name == one.name))
        };
        let parameters = plain.parameters.into_iter().enumerate().map(|(place, one)| match told(place, &one) {
            Some(told) => Member {
                name: told.name.clone(),
                optional: one.optional || told.optional,
                ty: or_told(one.ty, Some(&told.ty)),
            },
            None => one,
        });
        Signature {
            line,
            parameters: parameters.collect(),
            answer: or_told(plain.answer, docs.answer.as_ref()),
            is_generic: plain.is_generic || docs.is_generic,
            told: docs.ty.clone(),
            has_head: true,
        }
    }
}

/// The head with its annotations.
fn head(parameters: &FormalParameters<'_>, answer: Option<&TSTypeAnnotation<'_>>, is_generic: bool) -> Signature {
    // `...rest` is one parameter, but any number of arguments.
    let rest = parameters.rest.as_ref().map(|one| Member {
        name: one.rest.argument.get_identifier_name().map(|name| name.to_string()).unwrap_or_default(),
        optional: false,
        ty: Written::Refused(REST),
    });
    let annotated = |annotation: Option<&TSTypeAnnotation<'_>>| {
        annotation.map_or(Written::Missing, |annotation| written(&annotation.type_annotation))
    };
    let parameter = |one: &FormalParameter<'_>| {
        let ty = annotated(one.type_annotation.as_deref());
        let name = one.pattern.get_identifier_name().map_or_else(|| name_of(&ty), |name| name.to_string());
        Member { optional: one.optional || one.initializer.is_some(), ty, name }
    };
    Signature {
        line: 0,
        parameters: parameters.items.iter().map(parameter).chain(rest).collect(),
        answer: annotated(answer),
        is_generic,
        told: None,
        has_head: true,
    }
}

/// The name of a destructured argument: the name of its type.
fn name_of(ty: &Written) -> String {
    let name = match ty {
        Written::Named(name, _) => name.rsplit('.').next().unwrap_or_default(),
        _ => "",
    };
    let mut letters = name.chars();
    letters.next().map_or_else(|| "input".to_owned(), |first| first.to_lowercase().chain(letters).collect())
}

/// The annotated type, or else the type in a comment.
fn or_told(annotated: Written, told: Option<&Written>) -> Written {
    if annotated == Written::Missing { told.cloned().unwrap_or(annotated) } else { annotated }
}
