<?php

// The package and the checks that all tests here share. A check that fails says what differs.

declare(strict_types=1);

require __DIR__ . '/../.tierup/php/autoload.php';

set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    if ((error_reporting() & $level) === 0) {
        return false;
    }
    throw new ErrorException($message, 0, $level, $file, $line);
});

function same(mixed $expected, mixed $found, string $what = ''): void
{
    // `var_export` compares objects by their contents, and tells -0.0 from 0.0; NaN equals NaN.
    if (var_export($expected, true) !== var_export($found, true)) {
        throw new RuntimeException("$what: expected " . var_export($expected, true) . ', found ' . var_export($found, true));
    }
}

function holds(bool $is, string $what): void
{
    if (!$is) {
        throw new RuntimeException($what);
    }
}

/** The exception that a call ends with. */
function thrown(string $class, callable $call, string $words = ''): Throwable
{
    try {
        $call();
    } catch (Throwable $failure) {
        holds($failure::class === $class, "expected $class, found " . $failure::class . ': ' . $failure->getMessage());
        holds(str_contains($failure->getMessage(), $words), "`$words` is not in: " . $failure->getMessage());
        return $failure;
    }
    throw new RuntimeException("expected $class, but nothing was thrown");
}

/** The variants that these tests call. */
function tiers(): array
{
    return [
        '1:spawn',
        '1:pool',
        ...(extension_loaded('tierupcore_conformance') ? ['2:core'] : []),
        ...(extension_loaded('tierup_conformance') ? ['3:native'] : []),
    ];
}

function resident(): int
{
    return (int) preg_replace('/.*VmRSS:\s+(\d+).*/s', '$1', file_get_contents('/proc/self/status'));
}

/** Processes of the built program whose parent is a process. */
function children(int $parent): array
{
    $found = [];
    foreach (glob('/proc/[0-9]*/stat') as $file) {
        $text = @file_get_contents($file);
        if ($text !== false && preg_match('/\A(\d+) \((.*)\) (\S) (\d+) /s', $text, $parts) === 1) {
            // A process that has ended keeps its open files as long as one of its threads is still ending.
            $hasEnded = $parts[3] === 'Z' && count(glob("/proc/$parts[1]/task/*")) <= 1;
            if ((int) $parts[4] === $parent && !$hasEnded && $parts[2] === 'conformance') {
                $found[] = (int) $parts[1];
            }
        }
    }
    return $found;
}

/** Whether a process lives. One that has ended still exists until its parent waits for it. */
function lives(int $process): bool
{
    $text = (string) @file_get_contents("/proc/$process/stat");

    return $text !== '' && !str_contains($text, ') Z ');
}

/** Waits until something holds, at most a minute. */
function eventually(callable $holds, string $what): void
{
    for ($end = microtime(true) + 60; !$holds(); usleep(10_000)) {
        holds(microtime(true) < $end, $what);
    }
}
