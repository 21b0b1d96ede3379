//! What to measure. In: the words after `cargo xtask atlas`. Out: [`Wanted`], or what is wrong with them.

use super::about::{self, Function, Size};

/// A selection of functions, hosts and sizes; all where nothing was chosen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    functions: Vec<String>,
    hosts: Vec<String>,
    sizes: Vec<String>,
    /// Only the pages are written; nothing is measured.
    pub(super) is_page_only: bool,
}

impl Wanted {
    /// # Errors
    /// An unknown option, function, host or size.
    pub(super) fn parse(mut words: &[&str], functions: &[Function]) -> Result<Wanted, String> {
        let mut wanted = Wanted::default();
        let list = |value: &str| value.split(',').map(str::to_owned).collect::<Vec<_>>();
        loop {
            match words {
                ["--page", rest @ ..] => {
                    wanted.is_page_only = true;
                    words = rest;
                }
                ["--hosts", value, rest @ ..] => {
                    wanted.hosts.extend(list(value));
                    words = rest;
                }
                ["--sizes", value, rest @ ..] => {
                    wanted.sizes.extend(list(value));
                    words = rest;
                }
                [option, ..] if option.starts_with('-') => {
                    return Err(format!("`{option}` is no option, or has no value"));
                }
                [function, rest @ ..] => {
                    wanted.functions.push((*function).to_owned());
                    words = rest;
                }
                [] => break,
            }
        }
        let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
        known("function", &wanted.functions, &names)?;
        known("host", &wanted.hosts, &about::hosts(functions))?;
        let sizes = Size::ALL.map(|size| size.to_string());
        known("size", &wanted.sizes, &sizes.each_ref().map(String::as_str))?;
        if wanted.is_page_only && wanted != (Wanted { is_page_only: true, ..Wanted::default() }) {
            return Err("--page writes the pages from all reports, and takes nothing else".to_owned());
        }
        Ok(wanted)
    }

    pub(super) fn has_function(&self, function: &Function) -> bool {
        self.functions.is_empty() || self.functions.contains(&function.name)
    }

    pub(super) fn has_host(&self, host: &str) -> bool {
        self.hosts.is_empty() || self.hosts.iter().any(|wanted| wanted == host)
    }

    pub(super) fn sizes(&self) -> Vec<Size> {
        let is_wanted = |size: &Size| self.sizes.is_empty() || self.sizes.contains(&size.to_string());
        Size::ALL.into_iter().filter(is_wanted).collect()
    }
}

fn known(kind: &str, words: &[String], known: &[&str]) -> Result<(), String> {
    match words.iter().find(|word| !known.contains(&word.as_str())) {
        Some(word) => Err(format!("the atlas has no {kind} `{word}`; it has {}", known.join(", "))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::root;

    fn parse(words: &[&str]) -> Result<Wanted, String> {
        Wanted::parse(words, &about::all(&root())?)
    }

    #[test]
    fn without_words_all_is_wanted() {
        let wanted = parse(&[]).unwrap_or_else(|error| panic!("{error}"));
        assert!(wanted.has_host("node") && !wanted.is_page_only);
        assert_eq!(wanted.sizes(), Size::ALL);
    }

    #[test]
    fn one_cell_is_wanted() {
        let wanted = parse(&["markdown", "--hosts", "go", "--sizes", "small,large"]);
        let wanted = wanted.unwrap_or_else(|error| panic!("{error}"));
        assert!(wanted.has_host("go") && !wanted.has_host("node"));
        assert_eq!(wanted.sizes(), [Size::Small, Size::Large]);
    }

    #[test]
    fn unknown_words_are_errors() {
        for words in [&["nothing"][..], &["--hosts", "cobol"], &["--sizes", "huge"], &["--hosts"], &["--fast"]] {
            assert!(parse(words).is_err(), "{words:?}");
        }
        assert!(parse(&["--page", "markdown"]).is_err());
    }
}
