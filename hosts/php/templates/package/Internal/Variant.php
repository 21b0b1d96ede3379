<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/** A way to pass bytes to the functions and back. */
interface Variant
{
    /** Calls a function by its number with encoded arguments; returns the answer's bytes. */
    public function call(int $number, string $arguments): string;

    /** Returns once no call has to wait for a start. */
    public function ready(): void;

    public function close(): void;
}
