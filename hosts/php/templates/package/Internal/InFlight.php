<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * What to end if the request ends during a call: by `exit`, a fatal error or its time limit. PHP then runs shutdown
 * functions, but no `finally`.
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
