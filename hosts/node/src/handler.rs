//! Recognizes handlers of frameworks among anonymous functions. In: a source, and the line on which a function begins.
//! Out: the parameter that makes it a handler.
//!
//! A named function is watched, and its arguments show that it cannot cross. V8 gives an anonymous one only a line.

/// The usual names of handlers' parameters in the documentation of Express, Fastify, Koa, Hono and node:http.
const GIVEN: &[&str] = &["req", "request", "res", "response", "reply", "ctx", "context", "next", "socket"];
/// The most lines of a function's head.
const MOST_LINES: usize = 8;
/// Calls that register a handler, whatever its parameters are called: `app.get('/price', ({ query }) => …)`.
const ROUTES: &[&str] = &[".get(", ".post(", ".put(", ".patch(", ".delete(", ".all(", ".head(", ".options(", ".use("];
/// The call may begin this many lines above its handler.
const MOST_LINES_ABOVE: usize = 3;

/// The parameter that a framework passes to the handler on this line (from 1); `None` if there is no handler.
pub(crate) fn given(text: &str, line: u32) -> Option<String> {
    let above = usize::try_from(line).ok()?.checked_sub(1)?;
    let lines: Vec<&str> = text.lines().skip(above).take(MOST_LINES).collect();
    let from = above.saturating_sub(MOST_LINES_ABOVE);
    let before_line = text.lines().skip(from).take(above - from).collect::<Vec<_>>().join("\n");
    let (first, text) = (lines.first()?.len(), lines.join("\n"));
    let heads = text.match_indices("=>").map(|(end, _)| before(&text[..end])).chain(
        text.match_indices("function").filter_map(|(start, _)| {
            let open = start + text[start..].find('(')?;
            Some((open, open + text[open..].find(')')?))
        }),
    );
    let mut heads = heads.filter(|(start, _)| *start <= first);
    heads.find_map(|(start, end)| {
        let is_part = |letter: char| letter.is_alphanumeric() || "_$".contains(letter);
        let names = || text[start..end].split(|letter| !is_part(letter)).filter(|name| !name.is_empty());
        let first = || names().next().filter(|_| is_routed(&format!("{before_line}\n{}", &text[..start])));
        names().find(|name| GIVEN.contains(name)).or_else(first).map(str::to_owned)
    })
}

/// Whether a text ends among the arguments of a call that registers a path.
fn is_routed(before: &str) -> bool {
    ROUTES.iter().flat_map(|call| before.match_indices(call)).any(|(start, call)| {
        let arguments = before[start + call.len()..].trim_start();
        let path = arguments.strip_prefix(['\'', '"', '`']);
        path.is_some_and(|path| path.starts_with(['/', '*'])) && ends_among(arguments)
    })
}

/// Whether the text after a call's `(` ends among its arguments, neither after its `)` nor in the body of a function.
fn ends_among(arguments: &str) -> bool {
    /// The body of an arrow function. A comma ends it.
    const BODY: char = '>';
    let mut open = Vec::new();
    let mut last = ' ';
    for letter in arguments.chars() {
        match letter {
            ';' => return false,
            '(' | '[' | '{' => open.push(letter),
            '>' if last == '=' => open.push(BODY),
            ',' if open.last() == Some(&BODY) => {
                open.pop();
            }
            ')' | ']' | '}' => loop {
                match open.pop() {
                    None => return false,
                    Some(BODY) => {}
                    Some(_) => break,
                }
            },
            _ => {}
        }
        last = letter;
    }
    !open.contains(&BODY) && !open.contains(&'{')
}

/// The range of the parameters before an arrow: `(a, b)`, or a single one, without the type of the answer.
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
    fn a_handler_is_recognized_by_its_parameters() {
        let of = |text: &str| given(text, 1).unwrap_or_default();
        assert_eq!(of("http.createServer((request, response) => {"), "request");
        assert_eq!(of("app.get('/a', async (req: Request, res: Response): Promise<void> => {"), "req");
        assert_eq!(of("app.post('/a', { schema }, async function (_, reply) {"), "reply");
        assert_eq!(of("app.use(async ctx => {"), "ctx");
        assert_eq!(of("app.get(\n  '/a',\n  ({ query }, reply) => {"), "");
        assert_eq!(given("app.get(\n  '/a',\n  ({ query }, reply) => {", 3).as_deref(), Some("reply"));
        assert_eq!(of("handler = (\n    request: Request<{ coupon: string }>,\n) => {"), "request");
    }

    #[test]
    fn a_handler_is_recognized_by_its_route() {
        assert_eq!(given("api.get('/price', async (c) => {", 1).as_deref(), Some("c"));
        assert_eq!(given("new Elysia()\n  .post(\n    `/price`,\n    ({ query }) => {", 4).as_deref(), Some("query"));
        assert_eq!(given("app.post('/a', { schema }, (c) => {", 1).as_deref(), Some("c"));
        assert_eq!(given("app.get('/a', (c, go) => go(c), wrap(\n  (c) => {", 2).as_deref(), Some("c"));
        assert_eq!(given("prices.get('tea', (price) => price * 2);", 1), None);
        assert_eq!(given("api.get('/price', answer);\nconst twice = (price) => price * 2;", 2), None);
    }

    #[test]
    fn a_callback_within_a_handler_is_no_handler() {
        let in_body = "app.get('/price', (c) => {\n  const total = c.items.map((item) => heavy(item))";
        assert_eq!(given(in_body, 2), None);
        assert_eq!(given("app.get('/price', (c) =>\n  c.items.map((item) => heavy(item)))", 2), None);
        assert_eq!(given("app.get('/price', function (c) {\n  return c.items.map((item) => heavy(item))", 2), None);
        assert_eq!(given("axios.get('/price').then((data) => heavy(data))", 1), None);
    }

    #[test]
    fn other_functions_are_no_handlers() {
        assert_eq!(given("const total = lines.map((line) => line.price * request);\n", 1), None);
        assert_eq!(given("sum((a, b) => a + b);\n\napp.get('/', (request) => 1);\n", 1), None);
        assert_eq!(given("", 4), None);
    }
}
