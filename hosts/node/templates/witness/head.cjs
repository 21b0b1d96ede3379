'use strict';

// Reads the head of a function. In: the source from its beginning, and whether its types are declared. Out: the names
// of the parameters, expressions for their values, and where the body begins; or why the function cannot move to Rust.

const NAME = /^[A-Za-z_$][\w$]*$/;

exports.head = (source, isDeclared) => {
    const why = (reason) => ({ why: reason, names: [] });
    const text = blank(source);
    if (/^class\b/.test(text)) {
        return why('it is a constructor');
    }
    if (/^(async\s*)?(function\s*)?\*/.test(text)) {
        return why('it is a generator, which answers piece by piece');
    }
    if (/^(get|set)\s+[\w$#]+\s*\(/.test(text)) {
        return why('it is a getter or a setter');
    }
    const single = /^(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>/.exec(text);
    let names;
    let values;
    let body;
    if (single !== null) {
        names = [single[1]];
        values = names;
        body = single[0].length;
    } else {
        const open = text.indexOf('(');
        const close = open < 0 ? -1 : matching(text, open);
        if (close < 0) {
            return why('its parameters could not be read');
        }
        const parameters = split(text.slice(open + 1, close));
        names = parameters.map((parameter) => parameter.split('=')[0].trim());
        const arrow = /^\s*(=>)?/.exec(text.slice(close + 1));
        values = parameters.map((parameter, index) => {
            if (NAME.test(names[index]) || !isDeclared || !parameter.trim().startsWith('{')) {
                return names[index];
            }
            // The type is declared, so the parameter is a single record.
            names[index] = 'input';
            return arrow[1] === undefined ? `arguments[${index}]` : rebuilt(parameter);
        });
        const odd = parameters.find((parameter, index) => !NAME.test(names[index]) || values[index] === undefined);
        if (odd !== undefined) {
            const kind = odd.trim().startsWith('...') ? 'takes any number of arguments' : 'takes its arguments apart';
            return why(`it ${kind} in its head: give each a name of its own`);
        }
        body = close + 1 + arrow[0].length;
    }
    const start = body + /^\s*/.exec(text.slice(body))[0].length;
    const end = text[start] === '{' ? matching(text, start) : -1;
    if (end >= 0 && /\b(this|super)\b/.test(text.slice(start, end))) {
        return why('it uses `this`: pass what it needs as arguments');
    }
    return { names, values, body: start };
};

/** An expression for the record that a pattern destructures: the pattern without its defaults. */
function rebuilt(pattern) {
    const text = withoutDefault(pattern);
    if (NAME.test(text)) {
        return text;
    }
    if (!text.startsWith('{')) {
        return undefined;
    }
    const fields = split(text.slice(1, matching(text, 0))).map((part) => {
        const field = part.trim();
        const [key] = /^[A-Za-z_$][\w$]*\s*:/.exec(field) ?? [];
        const value = field.startsWith('...') ? field : rebuilt(field.slice(key?.length ?? 0));
        return value && `${key ?? ''}${value}`;
    });
    return fields.includes(undefined) ? undefined : `{ ${fields.join(', ')} }`;
}

function withoutDefault(pattern) {
    let depth = 0;
    for (let index = 0; index < pattern.length; index += 1) {
        if ('([{'.includes(pattern[index])) {
            depth += 1;
        } else if (')]}'.includes(pattern[index])) {
            depth -= 1;
        } else if (pattern[index] === '=' && depth === 0) {
            return pattern.slice(0, index).trim();
        }
    }
    return pattern.trim();
}

/** The source with blanks in place of comments and strings. */
function blank(source) {
    const pattern = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
    return source.replace(pattern, (match) => ' '.repeat(match.length));
}

function matching(text, open) {
    let depth = 0;
    for (let index = open; index < text.length; index += 1) {
        if ('([{'.includes(text[index])) {
            depth += 1;
        } else if (')]}'.includes(text[index])) {
            depth -= 1;
            if (depth === 0) {
                return index;
            }
        }
    }
    return -1;
}

/** The parts between commas outside of brackets. */
function split(text) {
    const parts = [];
    let depth = 0;
    let start = 0;
    for (let index = 0; index < text.length; index += 1) {
        if ('([{'.includes(text[index])) {
            depth += 1;
        } else if (')]}'.includes(text[index])) {
            depth -= 1;
        } else if (text[index] === ',' && depth === 0) {
            parts.push(text.slice(start, index));
            start = index + 1;
        }
    }
    parts.push(text.slice(start));
    return parts.filter((part) => part.trim() !== '');
}
