//! Function names in Go stacks. In: `example.org/shop/price.(*Cart[...]).Total`. Out: the name that the source
//! declares, or that it is a closure.

use crate::declaration::is_of_a_name;

/// `Total`, `Cart.Total` or `(*Cart).Total`. `None` for names that the compiler made: closures, wrappers, loop bodies,
/// and single instances of generic functions, which are counted together.
pub(crate) fn declared_name(qualified_name: &str) -> Option<String> {
    let name = in_package(qualified_name)?;
    let parts: Vec<&str> = name.split('.').collect();
    let is_declared = match parts[..] {
        [function] => is_identifier(function),
        [of, method] => {
            let of = of.strip_prefix("(*").and_then(|of| of.strip_suffix(')')).unwrap_or(of);
            is_identifier(of) && is_identifier(method)
        }
        _ => false,
    };
    is_declared.then_some(name)
}

/// Whether it is a closure, which Go numbers: `main.(*Cart).Total.func2.1`. A method may have such a name.
pub(crate) fn is_closure(qualified_name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|digit| digit.is_ascii_digit());
    let is_numbered = |part: &str| part.strip_prefix("func").is_some_and(is_number);
    in_package(qualified_name).is_some_and(|name| name.split('.').skip(1).any(is_numbered))
}

/// The name after the package's, without `[...]`, which stands for all instances.
fn in_package(qualified_name: &str) -> Option<String> {
    let qualified_name = qualified_name.replace("[...]", "");
    let last = qualified_name.rsplit('/').next()?;
    Some(last.split_once('.')?.1.to_owned())
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_') && text.chars().all(is_of_a_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declared_functions_have_a_name() {
        let check = |qualified_name: &str, expected: Option<&str>| {
            assert_eq!(declared_name(qualified_name).as_deref(), expected, "{qualified_name}")
        };
        check("example.org/shop/price.Total", Some("Total"));
        check("gopkg.in/yaml%2ev3.Marshal", Some("Marshal"));
        check("main.Cart.Total", Some("Cart.Total"));
        check("main.(*Tree[...]).Insert", Some("(*Tree).Insert"));
        check("main.Map[...]", Some("Map"));
        let compiled = [
            "main.handler.func1.2", "main.glob..func1", "main.init.0", "main.Cart.Total-fm", "main.each-range1",
            "main.Map[go.shape.int]", "main.Map[a.b/c.Total]",
        ];
        compiled.iter().for_each(|qualified_name| check(qualified_name, None));
        check("Total", None);
    }

    #[test]
    fn closures_are_known_by_their_numbers() {
        let closures = [
            "main.handler.func1", "a.b/shop.(*Cart).Total.func2.1", "main.glob..func12", "main.Map[...].func1",
            "main.Map[go.shape.int].func1",
        ];
        assert!(closures.into_iter().all(is_closure));
        assert!(!["main.func1", "main.Cart.function1", "main.handler.func", "main.Total"].into_iter().any(is_closure));
    }
}
