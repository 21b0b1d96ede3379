<?php

declare(strict_types=1);

/** The query asks for something that there is not. */
final class WrongQuery extends RuntimeException
{
}

/**
 * Whether the name is to be replaced by its fingerprint. The query is taken as it was sent: `fingerprint=md5` needs no
 * decoding, and whatever would have to be decoded first is something else.
 */
function wants_fingerprint(string $query): bool
{
    $wanted = false;
    foreach (explode('&', $query) as $parameter) {
        if ($parameter === 'fingerprint=md5') {
            $wanted = true;
        } elseif ($parameter === 'fingerprint' || str_starts_with($parameter, 'fingerprint=')) {
            throw new WrongQuery('must be md5');
        }
    }
    return $wanted;
}
