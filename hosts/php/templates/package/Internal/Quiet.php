<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/** Runs the package's own work beside a call. Nothing of it reaches the server, not even a warning, and signals wait. */
final class Quiet
{
    /** The work's result, or null if the package itself has thrown. Throws what the server's own code throws. */
    public static function run(\Closure $work, ?\Closure $failed = null): mixed
    {
        $isAsync = \function_exists('pcntl_async_signals') && \pcntl_async_signals();
        try {
            // The handler of a signal that came just before runs here, and may throw.
            $isAsync && \pcntl_async_signals(false);

            return self::unwarned($work, $failed);
        } finally {
            if ($isAsync) {
                \pcntl_async_signals(true);
                \pcntl_signal_dispatch();
            }
        }
    }

    private static function unwarned(\Closure $work, ?\Closure $failed): mixed
    {
        // Operators that suppress warnings are not enough: a server's own handler gets these, and may throw.
        \set_error_handler(static fn(): bool => true);
        try {
            return $work();
        } catch (\Throwable $failure) {
            if (!self::isOwn($failure)) {
                throw $failure;
            }
            return $failed === null ? null : $failed($failure);
        } finally {
            \restore_error_handler();
        }
    }

    /** Whether code of this package has thrown it, or PHP itself in a call by this package. */
    public static function isOwn(\Throwable $failure): bool
    {
        return \str_starts_with($failure->getFile(), \dirname(__DIR__) . \DIRECTORY_SEPARATOR);
    }
}
