//! Handlers of frameworks among functions without a name. In: a source, and the line on which the function begins. Out: the
//! parameter by which it is one.
//!
//! A named function is watched, and what it is given shows that it cannot cross. V8 gives one without a name only a line.

/// What frameworks give handlers, as their own documentation names it: Express, Fastify, Koa, Hono, node:http.
const GIVEN: &[&str] = &["req", "request", "res", "response", "reply", "ctx", "context", "next", "socket"];
/// A head may be written on so many lines.
const MOST_LINES: usize = 8;

/// The parameter of a function on this line (from 1) that a framework gives to its handlers.
pub(crate) fn given(text: &str, line: u32) -> Option<&'static str> {
    let lines: Vec<&str> = text.lines().skip(usize::try_from(line).ok()?.checked_sub(1)?).take(MOST_LINES).collect();
    let (first, text) = (lines.first()?.len(), lines.join("\n"));
    let heads = text.match_indices("=>").map(|(end, _)| before(&text[..end])).chain(
        text.match_indices("function").filter_map(|(start, _)| {
            let open = start + text[start..].find('(')?;
            Some((open, open + text[open..].find(')')?))
        }),
    );
    let names = heads.filter(|(start, _)| *start <= first).flat_map(|(start, end)| {
        text[start..end].split(|letter: char| !(letter.is_alphanumeric() || "_$".contains(letter)))
    });
    let mut found = names.filter_map(|name| GIVEN.iter().copied().find(|given| *given == name));
    found.next()
}

/// The parameters before an arrow: `(a, b)`, or one alone, without the type of the answer.
fn before(text: &str) -> (usize, usize) {
    let end = text.trim_end().len();
    let Some(close) = text.rfind(')') else {
        let start = text[..end].rfind(|letter: char| !(letter.is_alphanumeric() || "_$".contains(letter)));
        return (start.map_or(0, |start| start + 1), end);
    };
    let mut depth = 0_usize;
    let open = text[..=close].char_indices().rev().find(|(_, letter)| {
        match letter {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    (open.map_or(0, |(open, _)| open), close)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_is_known_by_what_it_is_given() {
        let of = |text: &str| given(text, 1);
        assert_eq!(of("http.createServer((request, response) => {"), Some("request"));
        assert_eq!(of("app.get('/a', async (req: Request, res: Response): Promise<void> => {"), Some("req"));
        assert_eq!(of("app.post('/a', { schema }, async function (_, reply) {"), Some("reply"));
        assert_eq!(of("app.use(async ctx => {"), Some("ctx"));
        assert_eq!(of("app.get(\n  '/a',\n  ({ query }, reply) => {"), None);
        assert_eq!(given("app.get(\n  '/a',\n  ({ query }, reply) => {", 3), Some("reply"));
        assert_eq!(of("handler = (\n    request: Request<{ coupon: string }>,\n) => {"), Some("request"));
    }

    #[test]
    fn other_functions_are_none() {
        assert_eq!(given("const total = lines.map((line) => line.price * request);\n", 1), None);
        assert_eq!(given("sum((a, b) => a + b);\n\napp.get('/', (request) => 1);\n", 1), None);
        assert_eq!(given("", 4), None);
    }
}
