<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * What to end if the request ends in the middle of a call: by `exit`, by a fatal error, by its time limit. Then no `finally`
 * runs, but shutdown functions do.
 */
final class InFlight
{
    /** @var array<int, \Closure> */
    private static array $ends = [];

    private static int $next = 0;

    public static function begin(\Closure $end): int
    {
        if (self::$next === 0) {
            \register_shutdown_function(static function (): void {
                foreach (self::$ends as $end) {
                    $end();
                }
                self::$ends = [];
            });
        }
        self::$ends[++self::$next] = $end;

        return self::$next;
    }

    public static function end(int $number): void
    {
        unset(self::$ends[$number]);
    }
}
