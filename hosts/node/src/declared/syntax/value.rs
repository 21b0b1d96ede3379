//! Reads the values of constants: functions, objects with functions, and lists of texts. In: an expression, and the
//! declared type of its constant. Out: heads of functions, and the types of values.

use oxc_ast::ast::{Expression, ObjectPropertyKind, TSType, TSTypeName, UnaryOperator};

use super::{Member, Reader, Signature, Written, written};

impl Reader<'_> {
    /// Reads `const price: Pricer = (lines) => …` or `const SKUS = ['a', 'b'] as const`.
    pub(super) fn constant(&mut self, name: &str, at: u32, value: Option<&Expression<'_>>, told: Option<Written>) {
        let held = told.clone().or_else(|| value.and_then(|value| value_of(value, true)));
        self.module.values.extend(held.map(|ty| (name.to_owned(), ty)));
        let has_heads = value.is_some_and(|value| self.bound(None, name, at, value, told.clone()));
        // A `.d.ts` has only the type, or a function made the value: `const price: Pricer = cached(…)`.
        if let Some(told) = told.filter(|told| !has_heads && may_be_function(told)) {
            let line = self.line(at);
            let (parameters, answer) = (Vec::new(), Written::Missing);
            let head = Signature { line, parameters, answer, is_generic: false, told: Some(told), has_head: false };
            self.add(None, name, head);
        }
    }

    /// Whether a value is a function or holds functions. Their heads are added.
    pub(super) fn bound(
        &mut self,
        owner: Option<&str>,
        name: &str,
        at: u32,
        value: &Expression<'_>,
        told: Option<Written>,
    ) -> bool {
        let head = match value {
            Expression::ParenthesizedExpression(one) => return self.bound(owner, name, at, &one.expression, told),
            Expression::TSSatisfiesExpression(one) => {
                let told = told.or_else(|| Some(written(&one.type_annotation)));
                return self.bound(owner, name, at, &one.expression, told);
            }
            Expression::TSAsExpression(one) => {
                let told = told.or_else(|| (!is_const(&one.type_annotation)).then(|| written(&one.type_annotation)));
                return self.bound(owner, name, at, &one.expression, told);
            }
            Expression::ObjectExpression(object) => {
                for property in &object.properties {
                    let ObjectPropertyKind::ObjectProperty(one) = property else { continue };
                    let Some(key) = one.key.static_name() else { continue };
                    self.start = one.span.start;
                    let told =
                        told.clone().map(|ty| Written::At(Box::new(ty), Box::new(Written::Literal(key.to_string()))));
                    self.bound(Some(name), &key, one.span.start, &one.value, told);
                }
                return true;
            }
            Expression::ClassExpression(class) => {
                self.class(name, class);
                return true;
            }
            Expression::ArrowFunctionExpression(arrow) => {
                self.signature(at, &arrow.params, arrow.return_type.as_deref(), arrow.type_parameters.is_some())
            }
            Expression::FunctionExpression(function) => self.head_of(at, function),
            _ => return false,
        };
        let told = told.or_else(|| head.told.clone());
        self.add(owner, name, Signature { told, ..head });
        true
    }
}

/// Whether the type may be a function's.
fn may_be_function(ty: &Written) -> bool {
    matches!(ty, Written::Named(..) | Written::Imported(_) | Written::Function(_) | Written::At(..))
}

/// The type of a value, if it is written out. `as const` keeps literals as they are.
pub(super) fn value_of(value: &Expression<'_>, is_kept: bool) -> Option<Written> {
    Some(match value {
        Expression::StringLiteral(text) if is_kept => Written::Literal(text.value.to_string()),
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => Written::Text,
        Expression::NumericLiteral(_) => Written::Number,
        Expression::BooleanLiteral(_) => Written::Bool,
        Expression::UnaryExpression(one) => match one.operator {
            UnaryOperator::LogicalNot => Written::Bool,
            UnaryOperator::UnaryNegation | UnaryOperator::UnaryPlus => Written::Number,
            _ => return None,
        },
        Expression::NullLiteral(_) => Written::Nothing,
        Expression::ParenthesizedExpression(one) => value_of(&one.expression, is_kept)?,
        Expression::TSSatisfiesExpression(one) => value_of(&one.expression, is_kept)?,
        Expression::TSAsExpression(one) if is_const(&one.type_annotation) => constant_of(&one.expression)?,
        Expression::TSAsExpression(one) => written(&one.type_annotation),
        Expression::ArrayExpression(_) | Expression::ObjectExpression(_) => compound(value, false)?,
        Expression::CallExpression(call) if is_freeze(&call.callee) => {
            constant_of(call.arguments.first()?.as_expression()?)?
        }
        _ => return None,
    })
}

/// The type of a value with `as const`.
fn constant_of(value: &Expression<'_>) -> Option<Written> {
    compound(value, true).or_else(|| value_of(value, true))
}

/// A list or an object, whose literals keep their values or become types.
fn compound(value: &Expression<'_>, is_kept: bool) -> Option<Written> {
    let part = |value: &Expression<'_>| if is_kept { constant_of(value) } else { value_of(value, false) };
    match value {
        Expression::ParenthesizedExpression(one) => compound(&one.expression, is_kept),
        Expression::TSSatisfiesExpression(one) => compound(&one.expression, is_kept),
        Expression::ArrayExpression(list) => {
            let of: Option<Vec<_>> = list.elements.iter().map(|one| part(one.as_expression()?)).collect();
            Some(Written::List(Box::new(Written::Union(of?))))
        }
        Expression::ObjectExpression(object) => {
            let field = |one: &ObjectPropertyKind<'_>| match one {
                ObjectPropertyKind::ObjectProperty(one) => {
                    let ty = part(&one.value).unwrap_or(Written::Missing);
                    Some(Member { name: one.key.static_name()?.into_owned(), optional: false, ty })
                }
                ObjectPropertyKind::SpreadProperty(_) => None,
            };
            Some(Written::Object(object.properties.iter().map(field).collect::<Option<_>>()?))
        }
        _ => None,
    }
}

fn is_const(ty: &TSType<'_>) -> bool {
    matches!(ty, TSType::TSTypeReference(one)
        if matches!(&one.type_name, TSTypeName::IdentifierReference(name) if name.name == "const"))
}

/// Whether the callee is `Object.freeze`.
fn is_freeze(callee: &Expression<'_>) -> bool {
    matches!(callee, Expression::StaticMemberExpression(one)
        if one.property.name == "freeze" && one.object.is_specific_id("Object"))
}
