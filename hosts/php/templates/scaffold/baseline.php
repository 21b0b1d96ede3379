<?php

declare(strict_types=1);

/** A mistake of the caller, whose message may be shown. */
final class SlugException extends RuntimeException
{
}

/**
 * The function as it was before Rust: tier 0. Lower-case letters and digits; a run of anything else becomes one `-`, none
 * at the ends.
 */
function slugify(string $text): string
{
    $slug = strtolower(trim(preg_replace('/[^a-zA-Z0-9]+/', '-', $text), '-'));
    if ($slug === '') {
        throw new SlugException('text has no letters or digits');
    }
    return $slug;
}
