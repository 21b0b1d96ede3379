'use strict';

// The head of a function. In: the source from where V8 says that it begins. Out: its parameters' names and where its body
// begins, or why it cannot move to another language as it is.

const NAME = /^[A-Za-z_$][\w$]*$/;

exports.head = (source) => {
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
    let body;
    if (single !== null) {
        names = [single[1]];
        body = single[0].length;
    } else {
        const open = text.indexOf('(');
        const close = open < 0 ? -1 : matching(text, open);
        if (close < 0) {
            return why('its parameters could not be read');
        }
        const parameters = split(text.slice(open + 1, close));
        names = parameters.map((parameter) => parameter.split('=')[0].trim());
        const odd = parameters.find((parameter, index) => !NAME.test(names[index]));
        if (odd !== undefined) {
            const kind = odd.trim().startsWith('...') ? 'takes any number of arguments' : 'takes its arguments apart';
            return why(`it ${kind} in its head: give each a name of its own`);
        }
        body = close + 1 + /^\s*(=>)?/.exec(text.slice(close + 1))[0].length;
    }
    const start = body + /^\s*/.exec(text.slice(body))[0].length;
    const end = text[start] === '{' ? matching(text, start) : -1;
    if (end >= 0 && /\b(this|super)\b/.test(text.slice(start, end))) {
        return why('it uses `this`: pass what it needs as arguments');
    }
    return { names, body: start };
};

/** The source with blanks in the place of comments and of the contents of strings. */
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

/** The parts between commas that stand in no brackets. */
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
