<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/** The limits that the environment sets. */
final class Limits
{
    /** How long a program may take to start, in seconds. A busy machine needs a small part of this. */
    private const START = 30.0;

    private const LONGEST = 1_000_000;

    /** How long a call may take; null without a limit. */
    public static function call(): ?float
    {
        return self::seconds('TIERUP_CALL_TIMEOUT');
    }

    public static function start(): float
    {
        return self::seconds('TIERUP_START_TIMEOUT') ?? self::START;
    }

    /** A number of at least 1; null if it is not set. */
    public static function wholeNumber(string $name): ?int
    {
        $asked = \getenv($name);
        if ($asked === false || $asked === '') {
            return null;
        }
        if (\preg_match('/\A[1-9][0-9]{0,14}\z/', $asked) !== 1) {
            throw new \ValueError("$name must be a whole number of at least 1, got `$asked`");
        }
        return (int) $asked;
    }

    private static function seconds(string $name): ?float
    {
        $asked = \getenv($name);
        if ($asked === false || $asked === '') {
            return null;
        }
        $seconds = \preg_match('/\A[0-9]+(\.[0-9]+)?\z/', $asked) === 1 ? (float) $asked : 0.0;
        if ($seconds <= 0 || $seconds > self::LONGEST) {
            $most = self::LONGEST;
            throw new \ValueError("$name must be a number of seconds above 0, up to $most, such as 2.5, got `$asked`");
        }
        return $seconds;
    }
}
