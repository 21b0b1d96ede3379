<?php

declare(strict_types=1);

/** The query string does not say which text it means. */
final class MalformedQuery extends RuntimeException
{
}

/**
 * Query strings, read strictly. PHP's own `$_GET` takes a broken percent-encoding for text, and the last of several
 * parameters for the only one. Here a parameter is text and nothing else.
 *
 * @return list<string> the values of all parameters with that name
 */
function values_of(string $query, string $name): array
{
    if (preg_match('/%(?![0-9A-Fa-f]{2})|[^!-~]/', $query) === 1) {
        throw new MalformedQuery('malformed query string');
    }
    $values = [];
    foreach (explode('&', $query) as $parameter) {
        [$key, $value] = array_map(decoded(...), explode('=', $parameter, 2) + [1 => '']);
        if ($key === $name) {
            $values[] = $value;
        }
    }
    return $values;
}

function decoded(string $encoded): string
{
    $text = urldecode($encoded);

    return preg_match('//u', $text) === 1 ? $text : throw new MalformedQuery('malformed query string');
}
