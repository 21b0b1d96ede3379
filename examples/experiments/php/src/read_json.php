<?php

// JSON, read strictly. What readers disagree about is refused before json_decode sees it: bytes that are not UTF-8, depth,
// halves of surrogate pairs, and numbers that become infinite.

declare(strict_types=1);

const DEEPEST = 64;

/** The body is no JSON, or JSON that readers understand differently. */
final class MalformedBody extends RuntimeException
{
}

/** All of a body that can be wrong here. A text goes up to its end, or up to half of a surrogate pair. */
const TOKEN = <<<'REGEX'
    ~
    " (?: [^"\\]++
        | \\u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2}
        | (?! \\u[dD][89a-fA-F][0-9a-fA-F]{2} ) \\.
      )*+ (?<rest> .? )
    | [-0-9][-+.0-9eE]*+
    | [][{}]
    ~xs
    REGEX;

/** Objects are stdClass, so that `{}` is not `[]`. */
function read_json(string $body): mixed
{
    if (preg_match('//u', $body) !== 1) {
        throw new MalformedBody('the body is not UTF-8');
    }
    scan($body);
    try {
        return json_decode($body, flags: JSON_THROW_ON_ERROR);
    } catch (JsonException $failure) {
        if ($failure->getCode() === JSON_ERROR_INVALID_PROPERTY_NAME) {
            return read_json(without_nul_keys($body));
        }
        throw new MalformedBody('the body is not JSON');
    }
}

/** A property of PHP's cannot begin with a NUL character. No key that does is of interest here. */
function without_nul_keys(string $body): string
{
    return preg_replace('~("(?=\\\\u0000))((?:[^"\\\\]++|\\\\.)*+"\s*+:)|"(?:[^"\\\\]++|\\\\.)*+"(*SKIP)(*FAIL)~s', '$1_$2', $body);
}

function scan(string $body): void
{
    $depth = 0;
    for ($at = 0; ($found = preg_match(TOKEN, $body, $token, PREG_OFFSET_CAPTURE, $at)) === 1;) {
        [$text, $start] = $token[0];
        $at = $start + strlen($text);
        switch ($text[0]) {
            case '[':
            case '{':
                if (++$depth > DEEPEST) {
                    throw new MalformedBody('the body is nested more than ' . DEEPEST . ' deep');
                }
                break;
            case ']':
            case '}':
                $depth = max($depth - 1, 0);
                break;
            case '"':
                // A backslash at the very end is a text that does not end, which is for json_decode to refuse.
                if ($token['rest'][0] === '\\' && $at < strlen($body)) {
                    throw new MalformedBody('the body has half of a surrogate pair');
                }
                break;
            default:
                refuse_infinite($text);
        }
    }
    if ($found === false) {
        throw new RuntimeException('the body cannot be scanned: ' . preg_last_error_msg());
    }
}

function refuse_infinite(string $number): void
{
    // Only an exponent or 309 digits make one too large. What is no number at all is for json_decode to refuse.
    if ((strlen($number) > 300 || strpbrk($number, 'eE') !== false) && is_numeric($number) && is_infinite((float) $number)) {
        throw new MalformedBody('the body has a number that is too large');
    }
}
