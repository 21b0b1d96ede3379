//! Reads the declaration of a static method in Java source. In: the file's text, and `Class.method` or `method`. Out:
//! its types, or why it cannot move to Rust as it is.

mod annotations;
mod types;

use tierup_codegen::{
    Declared, DeclaredType, ServerFolder, Spelling,
    brackets::{blank, matching, split},
};

use self::types::{Position, Types};

/// Reads a method of a file. The path is relative to the server's folder.
pub(crate) fn declared(folder: &dyn ServerFolder, file: &str, name: &str) -> Result<Declared, String> {
    let text = folder.read(file).ok_or_else(|| format!("{file} cannot be read"))?;
    let stem = file.rsplit('/').next().and_then(|name| name.strip_suffix(".java")).unwrap_or_default();
    read(&text, stem, name)
}

/// The source file of `shop/Cart.sum`, in a layout of Maven or Gradle or in neither.
pub(crate) fn source_of(folder: &dyn ServerFolder, function: &str) -> Option<String> {
    let (class, _) = function.rsplit_once('.')?;
    below_roots(class).into_iter().find(|file| folder.exists(file))
}

/// The files that may hold the class of `shop.Cart::sum`, or `shop.Cart`.
pub(crate) fn baseline_files(name: &str) -> Vec<String> {
    let class = name.split("::").next().unwrap_or_default();
    below_roots(&class.split('$').next().unwrap_or_default().replace('.', "/")).into()
}

fn below_roots(class: &str) -> [String; 3] {
    ["src/main/java/", "src/", ""].map(|root| format!("{root}{class}.java"))
}

fn read(text: &str, class: &str, name: &str) -> Result<Declared, String> {
    // Apart from annotations, the first parentheses are those of the parameters.
    let code = annotations::blank(&blank(text));
    let types = Types::new(&code);
    let (named, method) = name.rsplit_once('.').unwrap_or((class, name));
    if named != class {
        return Err(format!("its class is not `{class}`, whose file it is"));
    }
    let Method { place, head, rest } = match &methods(&code, class, method)[..] {
        [] => return Err(format!("the class `{class}` of its file declares no method `{method}`")),
        [one] => *one,
        _ => return Err(format!("the class `{class}` declares several methods `{method}`: give it a name of its own")),
    };
    let (modifiers, of_answer) = apart(head);
    if of_answer.starts_with('<') {
        return Err("it has type parameters: tierup needs one type for each argument".to_owned());
    }
    if !modifiers.contains(&"static") {
        return Err("it is not static: make it a static method that is given what it needs".to_owned());
    }
    let close = matching(rest).ok_or("its parameters could not be read")?;
    let package = code.lines().find_map(|line| line.trim().strip_prefix("package ")?.split(';').next());
    let package = package.map(|package| format!("{}.", package.trim())).unwrap_or_default();
    Ok(Declared {
        qualified_name: format!("{package}{class}.{method}"),
        line: code[..place].matches('\n').count() as u32 + 1,
        parameters: split(&rest[1..close], "([{<", ")]}>").into_iter().map(|one| parameter(one, &types)).collect(),
        answer: (of_answer != "void").then(|| types.read(&of_answer, Position::Alone)),
        problems: Vec::new(),
        notes: Vec::new(),
        conversion: None,
        spelling: Spelling::CamelCase,
        // The driver can call private methods, too.
        baseline: Some(format!("{package}{class}::{method}")),
        watched: None,
        file: None,
    })
}

/// A declaration: the position of the method's name, the text before the name, and the text from its parameters on.
#[derive(Clone, Copy)]
struct Method<'a> {
    place: usize,
    head: &'a str,
    rest: &'a str,
}

/// The methods of this name that the class declares itself, not in a nested class.
fn methods<'a>(code: &'a str, class: &str, method: &str) -> Vec<Method<'a>> {
    let Some((body, end)) = body(code, class) else { return Vec::new() };
    let mut depth = 0;
    let mut read_to = body;
    let found = |(place, _): (usize, &str)| {
        for character in code.get(read_to..place)?.chars() {
            depth += match character {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
        }
        read_to = place;
        let rest = code[place + method.len()..].trim_start();
        let before = &code[..place];
        let head = before[before.rfind([';', '{', '}']).map_or(0, |end| end + 1)..].trim();
        // A call has no type before it.
        let is_declared = depth == 1
            && rest.starts_with('(')
            && before.ends_with(char::is_whitespace)
            && !head.contains('=')
            && head.ends_with(|last: char| is_part(last) || last == ']' || last == '>');
        is_declared.then_some(Method { place, head, rest })
    };
    code.match_indices(method).filter(|(place, _)| (body..end).contains(place)).filter_map(found).collect()
}

/// The range of the body of a top-level class.
fn body(code: &str, class: &str) -> Option<(usize, usize)> {
    let mut depth = 0;
    let mut from = 0;
    for (place, character) in code.char_indices() {
        match character {
            '{' if depth == 0 && declares(&code[from..place], class) => {
                return Some((place, place + matching(&code[place..])?));
            }
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                from = place + 1;
            }
            _ => {}
        }
    }
    None
}

/// Whether the text before a body declares this class.
fn declares(head: &str, class: &str) -> bool {
    let mut words = head.split_whitespace().skip_while(|word| !["class", "record", "enum", "interface"].contains(word));
    words.nth(1).and_then(|name| name.split(|character| !is_part(character)).next()) == Some(class)
}

fn is_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

/// `final String text` as a name and a type.
fn parameter(text: &str, types: &Types<'_>) -> (String, DeclaredType) {
    // In `String ...more`, the dots belong to the type.
    let (_, plain) = apart(&text.replace("...", "... "));
    match plain.rsplit_once(char::is_whitespace) {
        // `byte raw[]` is an array too.
        Some((ty, name)) => match name.split_once('[') {
            Some((name, rest)) => (name.to_owned(), types.read(&format!("{ty}[{rest}"), Position::Alone)),
            None => (name.to_owned(), types.read(ty, Position::Alone)),
        },
        None => (plain, DeclaredType::Refused("of no type that tierup reads".to_owned())),
    }
}

/// The modifiers of a declaration, and the text after them.
fn apart(head: &str) -> (Vec<&str>, String) {
    const MODIFIERS: [&str; 9] =
        ["public", "private", "protected", "static", "final", "abstract", "default", "synchronized", "strictfp"];
    let (modifiers, ty): (Vec<&str>, Vec<&str>) = head.split_whitespace().partition(|word| MODIFIERS.contains(word));
    (modifiers, ty.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"package shop.labels;

import java.util.List;

/** static String label(int no) {} */
@Component("labels")
public final class Labels {
    static final String TEXT = "static int label(";
    private static final Labels ONE = of(label(2));

    @Named("label") @Retry({1, 2})
    public static byte[] label(final @Size(max = 2, message = ")") @Checked(by = { @By("(") }) String text, java.util.Map<@NotBlank String, List< @Positive Double >> weights,
            long[] counts, int n, byte raw[]) throws IOException {
        return new Labels().other(label(1));
    }

    public String other(byte[] raw) { return ""; }
    static void nothing(boolean a) { twice(1); }
    private static int twice(int a) { return a; }
    static int twice(long a) { return 0; }
    static <T> T any(T a) { return a; }
    static List<Integer> all(Integer boxed, short small, String ...more) { return null; }
    static class Inner {
        static int within(int a) { return a; }
    }
}

record Second(int a) {
    static int beside(int a) { return a; }
}
"#;

    fn read(name: &str) -> Result<Declared, String> {
        super::read(SOURCE, "Labels", name)
    }

    fn is_refused(ty: &DeclaredType) -> bool {
        matches!(ty, DeclaredType::Refused(why) if why.contains("does not read from Java's source"))
    }

    struct Folder;

    impl ServerFolder for Folder {
        fn read(&self, name: &str) -> Option<String> {
            self.exists(name).then(|| SOURCE.to_owned())
        }

        fn names(&self, _: &str) -> Vec<String> {
            Vec::new()
        }

        fn exists(&self, name: &str) -> bool {
            name == "src/main/java/shop/labels/Labels.java"
        }
    }

    #[test]
    fn a_function_in_a_stack_is_found_in_its_source_file() {
        let file = source_of(&Folder, "shop/labels/Labels.label").unwrap();
        assert_eq!(declared(&Folder, &file, "label").unwrap().line, 12);
        // A nested class, and a class of a library.
        assert_eq!(source_of(&Folder, "shop/labels/Labels$Inner.within"), None);
        assert_eq!(source_of(&Folder, "java/util/HashMap.get"), None);
    }

    #[test]
    fn a_declaration_is_read() {
        use DeclaredType::*;
        let found = read("Labels.label").unwrap();
        let map = Map(Box::new(List(Box::new(Float))));
        let (names, types): (Vec<_>, Vec<_>) = found.parameters.into_iter().unzip();
        assert_eq!(names, ["text", "weights", "counts", "n", "raw"]);
        let int = Whole { bits: 32, signed: true };
        assert_eq!((&types[0], &types[1], &types[3], &types[4]), (&Text, &map, &int, &Bytes));
        assert!(is_refused(&types[2]), "{types:?}");
        assert_eq!((found.answer, found.line), (Some(Bytes), 12));
        assert_eq!(found.baseline.as_deref(), Some("shop.labels.Labels::label"));
        assert_eq!(read("nothing").unwrap().answer, None);
    }

    /// The package uses this type for no type of Rust, so the method could not be compared.
    #[test]
    fn a_type_that_the_package_never_uses_is_refused() {
        let all = read("all").unwrap();
        assert_eq!(all.answer, Some(DeclaredType::List(Box::new(DeclaredType::Whole { bits: 32, signed: true }))));
        assert!(all.parameters.len() == 3 && all.parameters.iter().all(|(_, ty)| is_refused(ty)), "{all:?}");
    }

    #[test]
    fn unreadable_declarations_are_refused_with_a_reason() {
        let why = |name: &str| read(name).unwrap_err();
        assert!(why("other").contains("it is not static"), "{}", why("other"));
        assert!(why("twice").contains("several methods `twice`"));
        assert!(why("any").contains("type parameters"));
        assert!(why("Other.label").contains("its class is not `Labels`"));
        for name in ["missing", "of", "within", "beside"] {
            assert!(why(name).contains(&format!("declares no method `{name}`")), "{}", why(name));
        }
    }
}
