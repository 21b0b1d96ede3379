//! Java types. In: a type's text, and the imports of its file. Out: the type, or why tierup cannot encode it.

use tierup_codegen::DeclaredType;

/// Resolves the type names in a file.
pub(super) struct Types<'a> {
    imports: Vec<&'a str>,
}

/// Where a type is written.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Position {
    Alone,
    /// Between angle brackets, where numbers must be objects.
    Within,
}

const UTIL: &str = "java.util.";
const LANG: &str = "java.lang.";

impl<'a> Types<'a> {
    /// The types of a file with this code.
    pub(super) fn new(code: &'a str) -> Types<'a> {
        let statements = code.split([';', '{', '}']).map(str::trim);
        let imports = statements.filter_map(|statement| statement.strip_prefix("import ")).map(str::trim);
        Types { imports: imports.collect() }
    }

    /// Reads a type. The package must use it for a type of Rust, too; otherwise the method could not be a baseline.
    pub(super) fn read(&self, ty: &str, place: Position) -> DeclaredType {
        match self.known(ty, place) {
            Ok(known) => known,
            Err(why) => DeclaredType::Refused(why),
        }
    }

    fn known(&self, ty: &str, place: Position) -> Result<DeclaredType, String> {
        let whole = |bits| DeclaredType::Whole { bits, signed: true };
        let plain: String = ty.split_whitespace().collect();
        let (name, of) = match plain.split_once('<') {
            Some((name, of)) => (name, of.strip_suffix('>')),
            None => (&*plain, None),
        };
        let name = match name.strip_prefix(LANG) {
            Some(simple) => simple,
            None => {
                if ["String", "Boolean", "Integer", "Long", "Double"].contains(&name) {
                    self.check_not_imported(name, LANG)?;
                }
                name
            }
        };
        Ok(match (name, of, place) {
            ("String", None, _) => DeclaredType::Text,
            ("byte[]", None, _) => DeclaredType::Bytes,
            ("boolean", None, Position::Alone) | ("Boolean", None, Position::Within) => DeclaredType::Bool,
            ("int", None, Position::Alone) | ("Integer", None, Position::Within) => whole(32),
            ("long", None, Position::Alone) | ("Long", None, Position::Within) => whole(64),
            ("double", None, Position::Alone) | ("Double", None, Position::Within) => DeclaredType::Float,
            ("List" | "java.util.List", Some(element), _) => {
                self.check_of_util(name)?;
                DeclaredType::List(Box::new(self.read(element, Position::Within)))
            }
            ("Map" | "java.util.Map", Some(both), _) => match both.split_once(',') {
                Some((key, value)) if self.read(key, Position::Within) == DeclaredType::Text => {
                    self.check_of_util(name)?;
                    DeclaredType::Map(Box::new(self.read(value, Position::Within)))
                }
                _ => return Err(not_read(ty)),
            },
            _ => return Err(not_read(ty)),
        })
    }

    /// The package uses only the lists and maps of `java.util`.
    fn check_of_util(&self, name: &str) -> Result<(), String> {
        if name.starts_with(UTIL) {
            return Ok(());
        }
        self.check_not_imported(name, UTIL)?;
        let itself = format!("{UTIL}{name}");
        let ways = [&*itself, "java.util.*", "module java.base"];
        match self.imports.iter().any(|import| ways.contains(import)) {
            true => Ok(()),
            false => Err(format!("a `{name}` that its file does not import from java.util: tierup takes {UTIL}{name}")),
        }
    }

    /// Checks that a name belongs to this package: the file imports no other class of that name.
    fn check_not_imported(&self, name: &str, package: &str) -> Result<(), String> {
        let is_other = |import: &&&str| {
            let ends_so = import.strip_suffix(name).is_some_and(|before| before.ends_with('.'));
            ends_so && import.strip_suffix(name) != Some(package)
        };
        match self.imports.iter().find(is_other) {
            Some(other) => Err(format!(
                "a `{}`, which is another type than {package}{name}: tierup takes that one",
                other.trim_start_matches("static ").trim()
            )),
            None => Ok(()),
        }
    }
}

fn not_read(ty: &str) -> String {
    format!("of the type `{ty}`, which tierup does not read from Java's source")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(imports: &str, ty: &str, expected: Result<DeclaredType, &str>) {
        let expected = expected.map_err(str::to_owned);
        assert_eq!(Types::new(imports).known(ty, Position::Alone), expected, "{imports} {ty}");
    }

    #[test]
    fn a_type_name_means_the_class_that_its_file_imports() {
        let list = || Ok(DeclaredType::List(Box::new(DeclaredType::Text)));
        let map = || Ok(DeclaredType::Map(Box::new(DeclaredType::Bool)));
        check("package a; import java.util.List;", "List<String>", list());
        check("import java.util.*;import b.Listed;", "Map<String, Boolean>", map());
        check("import module java.base;", "List<java.lang.String>", list());
        check("import io.vavr.collection.List;", "java.util.List<String>", list());
        let other = "a `io.vavr.collection.List`, which is another type than java.util.List: tierup takes that one";
        check("import java.util.*;\nimport io.vavr.collection.List;", "List<String>", Err(other));
        let other = "a `io.vavr.collection.Map`, which is another type than java.util.Map: tierup takes that one";
        check("import io.vavr.collection.Map;", "Map<String, Boolean>", Err(other));
        let none = "a `List` that its file does not import from java.util: tierup takes java.util.List";
        check("import io.vavr.collection.*;", "List<String>", Err(none));
        let text = "a `b.String`, which is another type than java.lang.String: tierup takes that one";
        check("import b.String;", "String", Err(text));
    }

    #[test]
    fn an_unsupported_type_is_named_as_it_is_written() {
        for ty in ["Map<Integer, String>", "my.java.util.List<String>", "List", "int[]", "String..."] {
            let why = format!("of the type `{ty}`, which tierup does not read from Java's source");
            check("import java.util.*;", ty, Err(&why));
        }
    }
}
