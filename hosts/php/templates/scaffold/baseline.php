<?php

declare(strict_types=1);

/** An error of the caller. Its message may be shown. */
final class SlugException extends RuntimeException
{
}

/**
 * The function as it was before Rust: tier 0. Keeps letters and digits in lower case. Each run of other characters
 * becomes one `-`, but none at the ends.
 */
function slugify(string $text): string
{
    $slug = strtolower(trim(preg_replace('/[^a-zA-Z0-9]+/', '-', $text), '-'));
    if ($slug === '') {
        throw new SlugException('text has no letters or digits');
    }
    return $slug;
}
