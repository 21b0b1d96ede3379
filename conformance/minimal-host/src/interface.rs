//! The two modules that differ from project to project: `Interface.pm`, the types and functions as data, and the module
//! that a server uses, with a method for each function.

use tierup_codegen::named::{Named, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_codegen::{abi, wire};
use tierup_model::Type;

use crate::names::literal;

const INDENT: &str = "    ";
const HEADER: &str = "# Made by tierup from the signatures in your crate; changes here are lost at the next build.\n";

/// `Interface.pm`. `Wire.pm` reads it.
pub(crate) fn interface(named: &Named<'_>, module: &str) -> String {
    let mut source = Source::new(INDENT);
    source.add(format!("package Tierup::{module}::Interface;")).gap(1).add_as_is(HEADER);
    source.add(
        r"
        #
        # The types and functions as data. A type is a word, or a list: ['list', 'u8'], ['defined', 0] for the first of
        # @DEFINITIONS. A field and a parameter are a name and a type.
        ",
    );
    source.gap(1).add(
        r"
        use strict;
        use warnings;
        use utf8;

        use Exporter 'import';

        our @EXPORT_OK = qw($ABI $PACKAGE @DEFINITIONS @FUNCTIONS);
        ",
    );
    source.gap(1).add(format!(
        "
        # The hash of the interface: a program that was built for another one is not called.
        our $ABI = {};

        # The crate, and its program.
        our $PACKAGE = {};
        ",
        literal(&abi::hash_text(named.interface)),
        literal(&named.interface.package)
    ));
    source.gap(1).add("our @DEFINITIONS = (").inside(|source| {
        for definition in &named.definitions {
            source.add(format!("{{ name => {}, {} }},", literal(&definition.name), content(definition)));
        }
    });
    source.add(");").gap(1).add("our @FUNCTIONS = (").inside(|source| {
        for function in &named.functions {
            let (name, parameters) = (literal(&function.name), fields(&function.parameters));
            let output = function.output.map_or("undef".to_owned(), ty);
            source.add(format!("{{ name => {name}, parameters => {parameters}, output => {output} }},"));
        }
    });
    source.add(");").gap(1).add("1;");
    source.into_text()
}

/// The module that a server uses.
pub(crate) fn methods(named: &Named<'_>, module: &str) -> String {
    let mut source = Source::new(INDENT);
    source.add(format!("package Tierup::{module};")).gap(1).add_as_is(HEADER);
    if !named.interface.docs.is_empty() {
        source.add("#").add_as_is(comment(&named.interface.docs));
    }
    source.gap(1).add(format!(
        "
        use strict;
        use warnings;
        use utf8;

        use parent 'Tierup::{module}::Binding';
        "
    ));
    for function in &named.functions {
        source.gap(1).add_as_is(comment(function.docs));
        source.add(format!(
            "
            sub {} {{
                my $self = shift;
                return $self->call({}, @_);
            }}
            ",
            function.name, function.number
        ));
    }
    source.gap(1).add("1;");
    source.into_text()
}

fn content(definition: &NamedDefinition<'_>) -> String {
    match &definition.kind {
        NamedKind::Record(record) => format!("record => {}", fields(record)),
        NamedKind::Words(cases) => {
            let words: Vec<_> = cases.iter().map(|case| literal(&case.name)).collect();
            format!("words => [{}]", words.join(", "))
        }
        NamedKind::Cases(cases) => {
            let cases = cases.iter().map(|case| format!("[{}, {}]", literal(&case.name), fields(&case.fields)));
            format!("cases => [{}]", cases.collect::<Vec<_>>().join(", "))
        }
    }
}

fn fields(values: &[NamedValue<'_>]) -> String {
    let fields: Vec<_> = values.iter().map(|value| format!("[{}, {}]", literal(&value.name), ty(value.ty))).collect();
    format!("[{}]", fields.join(", "))
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Optional(inner) => format!("['optional', {}]", self::ty(inner)),
        Type::List(inner) => format!("['list', {}]", self::ty(inner)),
        Type::Map(inner) => format!("['map', {}]", self::ty(inner)),
        Type::Defined(number) => format!("['defined', {number}]"),
        plain => literal(wire::plain(plain).unwrap_or_default()),
    }
}

/// Documentation as a comment, which no line of it can end.
fn comment(docs: &str) -> String {
    docs.lines().map(|line| format!("# {line}").trim_end().to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_documentation_ends_its_comment() {
        assert_eq!(comment("one\n\n=cut\n__END__"), "# one\n#\n# =cut\n# __END__\n");
    }

    #[test]
    fn types_are_words_or_lists() {
        let list = Type::List(Box::new(Type::Optional(Box::new(Type::Defined(3)))));
        assert_eq!(ty(&list), "['list', ['optional', ['defined', 3]]]");
        assert_eq!(ty(&Type::Map(Box::new(Type::Text))), "['map', 'text']");
    }
}
