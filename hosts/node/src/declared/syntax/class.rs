//! Reads classes. Out: the heads of a class's methods, and its type: one with only properties is a record, like DTOs.

use oxc_ast::ast::{
    Argument, Class, ClassElement, Expression, MethodDefinitionKind, PropertyDefinition, TSAccessibility,
};

use super::{Member, Reader, Written, value::value_of, written};

const METHODS: &str = "an object of a class, whose methods stay in JavaScript: pass a plain object with its fields";
const HIDDEN: &str = "an object of a class with private fields: pass a plain object with its fields";

impl Reader<'_> {
    pub(super) fn class(&mut self, name: &str, class: &Class<'_>) {
        let mut fields = Vec::new();
        let mut refused = None;
        for element in &class.body.body {
            match element {
                ClassElement::StaticBlock(_) => {}
                ClassElement::MethodDefinition(method) => {
                    self.start = method.span.start;
                    match method.kind {
                        MethodDefinitionKind::Constructor => {
                            for one in &method.value.params.items {
                                // `constructor(readonly sku: string)` also declares a field.
                                let is_field = one.accessibility.is_some() || one.readonly;
                                let Some(name) = one.pattern.get_identifier_name().filter(|_| is_field) else {
                                    continue;
                                };
                                if is_hidden(one.accessibility) {
                                    refused = refused.or(Some(HIDDEN));
                                }
                                let ty = one.type_annotation.as_ref().map(|one| written(&one.type_annotation));
                                let ty = ty.unwrap_or(Written::Missing);
                                fields.push(Member { name: name.to_string(), optional: one.optional, ty });
                            }
                        }
                        // Instances of subclasses have this method.
                        MethodDefinitionKind::Method if method.r#type.is_abstract() => {
                            refused = refused.or(Some(METHODS))
                        }
                        MethodDefinitionKind::Method => {
                            let head = self.head_of(method.span.start, &method.value);
                            if let Some(key) = method.key.static_name() {
                                self.add(Some(name), &key, head);
                            }
                            refused = refused.or((!method.r#static).then_some(METHODS));
                        }
                        MethodDefinitionKind::Get | MethodDefinitionKind::Set => {
                            refused = refused.or((!method.r#static).then_some(METHODS));
                        }
                    }
                }
                ClassElement::PropertyDefinition(property) => {
                    self.start = property.span.start;
                    let is_function = self.property(name, property);
                    match property.key.static_name() {
                        _ if property.r#static => {}
                        Some(_) if is_function => refused = refused.or(Some(METHODS)),
                        Some(key) if !is_hidden(property.accessibility) => fields.push(field(&key, property)),
                        _ => refused = refused.or(Some(HIDDEN)),
                    }
                }
                ClassElement::AccessorProperty(_) | ClassElement::TSIndexSignature(_) => {
                    refused = refused.or(Some(METHODS));
                }
            }
        }
        let own = refused.map_or(Written::Object(fields), Written::Refused);
        let ty = match &class.heritage {
            Some(above) => Written::All(vec![self::above(&above.expression), own]),
            None => own,
        };
        self.ty(name.to_owned(), ty, class.type_parameters.is_some());
    }

    /// Whether a property is a function or holds functions: `price = (lines: Line[]) => …`.
    fn property(&mut self, owner: &str, property: &PropertyDefinition<'_>) -> bool {
        let (Some(value), Some(key)) = (&property.value, property.key.static_name()) else { return false };
        let told = property.type_annotation.as_ref().map(|one| written(&one.type_annotation));
        let is_plain = matches!(value, Expression::ObjectExpression(_));
        !is_plain && self.bound(Some(owner), &key, property.span.start, value, told)
    }
}

fn is_hidden(accessibility: Option<TSAccessibility>) -> bool {
    matches!(accessibility, Some(TSAccessibility::Private | TSAccessibility::Protected))
}

fn field(name: &str, property: &PropertyDefinition<'_>) -> Member {
    let annotated = property.type_annotation.as_ref().map(|one| written(&one.type_annotation));
    let ty = annotated.or_else(|| value_of(property.value.as_ref()?, false)).unwrap_or(Written::Missing);
    Member { name: name.to_owned(), optional: property.optional, ty }
}

/// The superclass: a class, or one that NestJS derives from a class.
fn above(expression: &Expression<'_>) -> Written {
    let named = |name: &str, arguments: Vec<Written>| Written::Named(name.to_owned(), arguments);
    match expression.get_inner_expression() {
        Expression::Identifier(name) => named(&name.name, Vec::new()),
        Expression::CallExpression(call) => {
            let parts: Vec<Written> = call.arguments.iter().filter_map(argument).collect();
            match (&call.callee, &parts[..]) {
                (Expression::Identifier(name), [_, ..]) => match &*name.name {
                    "PartialType" => named("Partial", parts),
                    "PickType" => named("Pick", parts),
                    "OmitType" => named("Omit", parts),
                    "IntersectionType" => Written::All(parts),
                    _ => Written::Refused(METHODS),
                },
                _ => Written::Refused(METHODS),
            }
        }
        _ => Written::Refused(METHODS),
    }
}

/// An argument of NestJS's functions: a class, or a list of field names.
fn argument(one: &Argument<'_>) -> Option<Written> {
    match one.as_expression()?.get_inner_expression() {
        Expression::ArrayExpression(list) => {
            let names = list.elements.iter().map(|one| value_of(one.as_expression()?, true));
            Some(Written::Union(names.collect::<Option<_>>()?))
        }
        other => Some(above(other)),
    }
}
