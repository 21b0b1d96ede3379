//! The declarations of a file in TypeScript, or in JavaScript with types in comments. In: its text. Out: a [`Module`], which holds nothing of
//! the parser.

mod jsdoc;

use std::collections::BTreeMap;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    AssignmentExpression, AssignmentTarget, Declaration, ExportDefaultDeclarationKind, Expression, FormalParameters,
    Function, ImportDeclaration, ImportDeclarationSpecifier, Statement, TSEnumDeclaration, TSImportTypeQualifier,
    TSLiteral, TSSignature, TSType, TSTypeAnnotation, TSTypeName, TSTypeOperatorOperator,
};
use oxc_parser::Parser;
use oxc_span::{GetSpan as _, SourceType};

use self::jsdoc::Docs;

/// Why what takes any number of arguments cannot cross.
const REST: &str = "a rest parameter (`...`): pass an array";
const NAMESPACE: &str = "a type of a namespace, which tierup does not follow: import it by its name";
const FUNCTION: &str = "a function: call it before, and pass what it answers";

/// A type as it is written, without the types that its names stand for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Written {
    Text,
    Bool,
    Number,
    BigInt,
    /// `null`, `undefined`, `void`.
    Nothing,
    Literal(String),
    List(Box<Written>),
    Map(Box<Written>),
    Object(Vec<Member>),
    /// A name with its arguments.
    Named(String, Vec<Written>),
    /// `import('./line.js').Line`.
    Imported(Elsewhere),
    Union(Vec<Written>),
    /// All of them at once: `A & B`, and what an interface extends.
    All(Vec<Written>),
    /// No annotation.
    Missing,
    Refused(&'static str),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) optional: bool,
    pub(super) ty: Written,
}

/// A function that is declared at the top of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Signature {
    pub(super) line: u32,
    pub(super) parameters: Vec<Member>,
    pub(super) answer: Written,
    pub(super) is_generic: bool,
}

impl Signature {
    /// Whether any type is written.
    pub(super) fn is_typed(&self) -> bool {
        self.parameters.iter().map(|one| &one.ty).chain([&self.answer]).any(|ty| *ty != Written::Missing)
    }
}

/// A name that comes from another file: the file's specifier, and the name there (`default` too).
pub(super) type Elsewhere = (String, String);

#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) functions: BTreeMap<String, Vec<Signature>>,
    pub(super) types: BTreeMap<String, Written>,
    /// Types with parameters, which are not read.
    pub(super) generic: Vec<String>,
    /// Imported and re-exported names.
    pub(super) elsewhere: BTreeMap<String, Elsewhere>,
    /// `export { Line as BasketLine }`: the name here, by the name for others.
    pub(super) renamed: BTreeMap<String, String>,
    /// `export * from …`.
    pub(super) all_of: Vec<String>,
}

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
    let mut reader = Reader { text, module: Module::default(), comments: comments.collect(), start: 0 };
    reader.comments();
    parsed.program.body.iter().for_each(|statement| reader.statement(statement));
    Some(reader.module)
}

struct Reader<'t> {
    text: &'t str,
    module: Module,
    /// By the place of what follows them. In TypeScript, comments say nothing.
    comments: Vec<(u32, Docs)>,
    /// Where the statement begins that is being read.
    start: u32,
}

impl Reader<'_> {
    /// The types that comments define.
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
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => continue,
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
        if let Some(signature) = self.value(one.right.span().start, &one.right) {
            let name = own.unwrap_or_else(|| to.property.name.to_string());
            self.module.functions.entry(name).or_default().push(signature);
        }
    }

    /// The signature of a function that is a value.
    fn value(&self, start: u32, value: &Expression<'_>) -> Option<Signature> {
        Some(match value {
            Expression::ArrowFunctionExpression(arrow) => {
                self.signature(start, &arrow.params, arrow.return_type.as_deref(), arrow.type_parameters.is_some())
            }
            Expression::FunctionExpression(function) => self.signature(
                start,
                &function.params,
                function.return_type.as_deref(),
                function.type_parameters.is_some(),
            ),
            _ => return None,
        })
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        self.start = statement.span().start;
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            // `exports.price = (lines) => …`.
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
            Statement::ExportAllDeclaration(export) if export.exported.is_none() => {
                self.module.all_of.push(export.source.value.to_string());
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
                    ExportDefaultDeclarationKind::Identifier(identifier) => Some(identifier.name.to_string()),
                    _ => None,
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
                    let signature = match one.init.as_ref().and_then(|value| self.value(one.span.start, value)) {
                        Some(signature) => signature,
                        // Of a `.d.ts`: `export declare const price: (lines: Line[]) => number`.
                        None => match one.type_annotation.as_ref().map(|annotation| &annotation.type_annotation) {
                            Some(TSType::TSFunctionType(function)) => self.signature(
                                one.span.start,
                                &function.params,
                                Some(&function.return_type),
                                function.type_parameters.is_some(),
                            ),
                            _ => continue,
                        },
                    };
                    self.module.functions.entry(name.to_string()).or_default().push(signature);
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
                let name = class.id.as_ref().map(|id| id.name.to_string());
                let why = "an object of a class, whose methods stay in JavaScript: pass a plain object with its fields";
                self.module.types.extend(name.map(|name| (name, Written::Refused(why))));
            }
            _ => {}
        }
    }

    fn interface(&mut self, interface: &oxc_ast::ast::TSInterfaceDeclaration<'_>) {
        let mut parts: Vec<_> =
            interface.extends.iter().map(|one| named(&one.type_name, one.type_arguments.as_deref())).collect();
        parts.push(members(&interface.body.body));
        let name = interface.id.name.to_string();
        // TypeScript merges interfaces of one name.
        parts.extend(self.module.types.remove(&name));
        let ty = if parts.len() == 1 { parts.remove(0) } else { Written::All(parts) };
        self.ty(name, ty, interface.type_parameters.is_some());
    }

    fn ty(&mut self, name: String, ty: Written, is_generic: bool) {
        if is_generic {
            self.module.generic.push(name);
        } else {
            self.module.types.insert(name, ty);
        }
    }

    fn function(&mut self, function: &Function<'_>) {
        let Some(id) = &function.id else { return };
        let signature = self.signature(
            function.span.start,
            &function.params,
            function.return_type.as_deref(),
            function.type_parameters.is_some(),
        );
        self.module.functions.entry(id.name.to_string()).or_default().push(signature);
    }

    fn signature(
        &self,
        start: u32,
        parameters: &FormalParameters<'_>,
        answer: Option<&TSTypeAnnotation<'_>>,
        is_generic: bool,
    ) -> Signature {
        // `...rest`: one parameter of the function, and any number of arguments.
        let rest = parameters.rest.as_ref().map(|one| Member {
            name: one.rest.argument.get_identifier_name().map(|name| name.to_string()).unwrap_or_default(),
            optional: false,
            ty: Written::Refused(REST),
        });
        // The comment that is the nearest, and speaks of a function.
        let speaks = |docs: &&Docs| !docs.parameters.is_empty() || docs.answer.is_some() || docs.is_generic;
        let above = self.comments.iter().rev().filter(|(at, _)| *at == self.start).map(|(_, docs)| docs);
        let docs = above.into_iter().find(speaks);
        let parameters = parameters.items.iter().map(|one| {
            let name = one.pattern.get_identifier_name().map(|name| name.to_string()).unwrap_or_default();
            let told = docs.and_then(|docs| docs.parameters.iter().find(|told| told.name == name));
            Member {
                optional: one.optional || one.initializer.is_some() || told.is_some_and(|told| told.optional),
                ty: annotated(one.type_annotation.as_deref(), told.map(|told| &told.ty)),
                name,
            }
        });
        Signature {
            line: self.text[..start as usize].matches('\n').count() as u32 + 1,
            parameters: parameters.chain(rest).collect(),
            answer: annotated(answer, docs.and_then(|docs| docs.answer.as_ref())),
            is_generic: is_generic || docs.is_some_and(|docs| docs.is_generic),
        }
    }
}

/// A type as it is annotated, or as a comment tells it.
fn annotated(annotation: Option<&TSTypeAnnotation<'_>>, told: Option<&Written>) -> Written {
    let annotation = annotation.map(|annotation| written(&annotation.type_annotation));
    annotation.or_else(|| told.cloned()).unwrap_or(Written::Missing)
}

fn written(ty: &TSType<'_>) -> Written {
    match ty {
        TSType::TSStringKeyword(_) | TSType::TSTemplateLiteralType(_) => Written::Text,
        TSType::TSBooleanKeyword(_) => Written::Bool,
        TSType::TSNumberKeyword(_) => Written::Number,
        TSType::TSBigIntKeyword(_) => Written::BigInt,
        TSType::TSNullKeyword(_) | TSType::TSUndefinedKeyword(_) | TSType::TSVoidKeyword(_) => Written::Nothing,
        TSType::TSArrayType(list) => Written::List(Box::new(written(&list.element_type))),
        TSType::TSTypeOperatorType(one) if one.operator == TSTypeOperatorOperator::Readonly => {
            written(&one.type_annotation)
        }
        TSType::TSParenthesizedType(one) => written(&one.type_annotation),
        TSType::TSUnionType(union) => Written::Union(union.types.iter().map(written).collect()),
        TSType::TSIntersectionType(all) => Written::All(all.types.iter().map(written).collect()),
        TSType::TSTypeLiteral(object) => members(&object.members),
        TSType::TSTypeReference(one) => named(&one.type_name, one.type_arguments.as_deref()),
        TSType::TSLiteralType(one) => match &one.literal {
            TSLiteral::StringLiteral(text) => Written::Literal(text.value.to_string()),
            TSLiteral::BooleanLiteral(_) => Written::Bool,
            TSLiteral::NumericLiteral(_) | TSLiteral::UnaryExpression(_) => Written::Number,
            TSLiteral::BigIntLiteral(_) => Written::BigInt,
            TSLiteral::TemplateLiteral(_) => Written::Text,
        },
        TSType::TSTupleType(_) => Written::Refused("a tuple: make it an object with named fields"),
        TSType::TSFunctionType(_) | TSType::TSConstructorType(_) => Written::Refused(FUNCTION),
        // What has no type of its own is what was seen.
        TSType::TSAnyKeyword(_)
        | TSType::TSUnknownKeyword(_)
        | TSType::TSObjectKeyword(_)
        | TSType::JSDocUnknownType(_) => Written::Missing,
        TSType::JSDocNullableType(one) => Written::Union(vec![written(&one.type_annotation), Written::Nothing]),
        TSType::JSDocNonNullableType(one) => written(&one.type_annotation),
        TSType::TSImportType(one) => match &one.qualifier {
            Some(TSImportTypeQualifier::Identifier(name)) => {
                Written::Imported((one.source.value.to_string(), name.name.to_string()))
            }
            _ => Written::Refused(NAMESPACE),
        },
        TSType::TSMappedType(_) | TSType::TSConditionalType(_) | TSType::TSIndexedAccessType(_) => {
            Written::Refused("a computed type, which tierup does not compute: write it as an interface")
        }
        _ => Written::Refused("of a type that tierup does not read from TypeScript"),
    }
}

fn named(name: &TSTypeName<'_>, arguments: Option<&oxc_ast::ast::TSTypeParameterInstantiation<'_>>) -> Written {
    let arguments = arguments.map(|all| all.params.iter().map(written).collect()).unwrap_or_default();
    match name {
        TSTypeName::IdentifierReference(name) => Written::Named(name.name.to_string(), arguments),
        _ => Written::Refused(NAMESPACE),
    }
}

fn members(all: &[TSSignature<'_>]) -> Written {
    let mut fields = Vec::new();
    for one in all {
        match one {
            TSSignature::TSPropertySignature(field) => {
                let Some(name) = field.key.static_name() else {
                    return Written::Refused("an object with a computed key");
                };
                let ty = field.type_annotation.as_ref();
                let ty = ty.map_or(Written::Missing, |annotation| written(&annotation.type_annotation));
                fields.push(Member { name: name.into_owned(), optional: field.optional, ty });
            }
            TSSignature::TSIndexSignature(index) if all.len() == 1 => {
                return Written::Map(Box::new(written(&index.type_annotation.type_annotation)));
            }
            TSSignature::TSIndexSignature(_) => {
                return Written::Refused("an object with fields and an index: pass the rest as a `Record` of its own");
            }
            _ => return Written::Refused("an object with methods: pass a plain object with its fields"),
        }
    }
    Written::Object(fields)
}

/// `enum Kind { Fixed = 'fixed' }` is its texts, and any other enum numbers.
fn of_enum(one: &TSEnumDeclaration<'_>) -> Written {
    let text = |member: &oxc_ast::ast::TSEnumMember<'_>| match &member.initializer {
        Some(Expression::StringLiteral(text)) => Written::Literal(text.value.to_string()),
        _ => Written::Number,
    };
    Written::Union(one.body.members.iter().map(text).collect())
}
