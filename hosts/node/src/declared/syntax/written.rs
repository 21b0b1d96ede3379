//! Types, and heads of functions, as they are written in TypeScript, and in comments of JavaScript. In: the parser's
//! nodes. Out: [`Written`].

use oxc_ast::ast::{
    Expression, TSEnumDeclaration, TSImportTypeQualifier, TSLiteral, TSSignature, TSType, TSTypeName,
    TSTypeOperatorOperator, TSTypeQueryExprName,
};

use super::head;

pub(in crate::declared) const NAMESPACE: &str =
    "a type of a namespace, which tierup does not follow: import it by its name";
pub(in crate::declared) const FUNCTION: &str = "a function: call it before, and pass what it answers";

pub(in crate::declared) const METHODS: &str = "an object with methods: pass a plain object with its fields";
pub(in crate::declared) const COMPUTED: &str =
    "a computed type, which tierup does not compute: write it as an interface";

/// A type as it is written. Its names are not resolved yet.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::declared) enum Written {
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
    /// A name with its type arguments; the name may have parts: `Shop.Line`.
    Named(String, Vec<Written>),
    /// `import('./line.js').Line`.
    Imported(Elsewhere),
    Union(Vec<Written>),
    /// An intersection `A & B`, or an interface and those that it extends.
    All(Vec<Written>),
    /// The type of a constant: `typeof SKUS`.
    Value(String),
    /// `keyof Line`.
    Keys(Box<Written>),
    /// `Line['sku']`, `Skus[number]`.
    At(Box<Written>, Box<Written>),
    /// The type of a function.
    Function(Box<Signature>),
    Method(Box<Signature>),
    /// No annotation.
    Missing,
    Refused(&'static str),
}

/// A name from another file: the file's specifier, and the name there, which may be `default`.
pub(in crate::declared) type Elsewhere = (String, String);

#[derive(Debug, Clone, PartialEq)]
pub(in crate::declared) struct Member {
    pub(in crate::declared) name: String,
    pub(in crate::declared) optional: bool,
    pub(in crate::declared) ty: Written,
}

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
    pub(super) fn is_like(&self, other: &Signature) -> bool {
        Signature { line: other.line, ..self.clone() } == *other
    }
}

pub(super) fn written(ty: &TSType<'_>) -> Written {
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
        TSType::TSTypeOperatorType(one) if one.operator == TSTypeOperatorOperator::Keyof => {
            Written::Keys(Box::new(written(&one.type_annotation)))
        }
        TSType::TSTypeQuery(one) => match &one.expr_name {
            TSTypeQueryExprName::TSImportType(_) => Written::Refused(COMPUTED),
            name => name.as_ts_type_name().and_then(path).map_or(Written::Refused(COMPUTED), Written::Value),
        },
        TSType::TSIndexedAccessType(one) => {
            Written::At(Box::new(written(&one.object_type)), Box::new(written(&one.index_type)))
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
        TSType::TSFunctionType(one) => {
            Written::Function(Box::new(head(&one.params, Some(&one.return_type), one.type_parameters.is_some())))
        }
        TSType::TSConstructorType(_) => Written::Refused(FUNCTION),
        // Without a declared type, the observed one is used.
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
        TSType::TSMappedType(_) | TSType::TSConditionalType(_) => Written::Refused(COMPUTED),
        _ => Written::Refused("of a type that tierup does not read from TypeScript"),
    }
}

pub(super) fn named(
    name: &TSTypeName<'_>,
    arguments: Option<&oxc_ast::ast::TSTypeParameterInstantiation<'_>>,
) -> Written {
    let arguments = arguments.map(|all| all.params.iter().map(written).collect()).unwrap_or_default();
    path(name).map_or(Written::Refused(NAMESPACE), |name| Written::Named(name, arguments))
}

/// `Line` or `Shop.Line`.
fn path(name: &TSTypeName<'_>) -> Option<String> {
    match name {
        TSTypeName::IdentifierReference(name) => Some(name.name.to_string()),
        TSTypeName::QualifiedName(name) => Some(format!("{}.{}", path(&name.left)?, name.right.name)),
        TSTypeName::ThisExpression(_) => None,
    }
}

pub(super) fn members(all: &[TSSignature<'_>]) -> Written {
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
            TSSignature::TSMethodSignature(method) => {
                let Some(name) = method.key.static_name() else { return Written::Refused(METHODS) };
                let is_generic = method.type_parameters.is_some();
                let ty = Written::Method(Box::new(head(&method.params, method.return_type.as_deref(), is_generic)));
                fields.push(Member { name: name.into_owned(), optional: method.optional, ty });
            }
            TSSignature::TSCallSignatureDeclaration(call) if all.len() == 1 => {
                let is_generic = call.type_parameters.is_some();
                return Written::Function(Box::new(head(&call.params, call.return_type.as_deref(), is_generic)));
            }
            TSSignature::TSIndexSignature(index) if all.len() == 1 => {
                return Written::Map(Box::new(written(&index.type_annotation.type_annotation)));
            }
            TSSignature::TSIndexSignature(_) => {
                return Written::Refused("an object with fields and an index: pass the rest as a `Record` of its own");
            }
            _ => return Written::Refused(METHODS),
        }
    }
    Written::Object(fields)
}

/// An enum with text values, such as `enum Kind { Fixed = 'fixed' }`, is a choice of these texts; others are numbers.
pub(super) fn of_enum(one: &TSEnumDeclaration<'_>) -> Written {
    let text = |member: &oxc_ast::ast::TSEnumMember<'_>| match &member.initializer {
        Some(Expression::StringLiteral(text)) => Written::Literal(text.value.to_string()),
        _ => Written::Number,
    };
    Written::Union(one.body.members.iter().map(text).collect())
}
