<?php

// Times rows side by side: every round gives each row one slice, in an order of its own. What is compared is compared within a
// round, so that whatever else the machine does falls on all of them.

declare(strict_types=1);

const SLICE = 20_000_000;
const ROUNDS = 21;

/**
 * Prints a table. The first row is what the others are compared with.
 *
 * @param array<string, Closure(int): void> $rows each makes its call so many times
 */
function compare(string $title, array $rows): void
{
    $repeats = array_map(repeats(...), $rows);
    $times = array_fill_keys(array_keys($rows), []);
    for ($round = 0; $round < ROUNDS; $round++) {
        $order = array_keys($rows);
        shuffle($order);
        foreach ($order as $name) {
            $times[$name][] = slice($rows[$name], $repeats[$name]);
        }
    }
    echo "\n| $title | one call | 10-90 % | x the first | 10-90 % |\n|---|--:|--:|--:|--:|\n";
    $first = reset($times);
    $parts = fn(array $sorted): array => array_map(fn($part) => $sorted[(int) round($part * (ROUNDS - 1))], [0.1, 0.5, 0.9]);
    foreach ($times as $name => $mine) {
        $ratios = array_map(fn($time, $reference) => $time / $reference, $mine, $first);
        sort($ratios);
        sort($mine);
        [$fastest, $usual, $slowest] = array_map(fn($time) => sprintf('%.3f us', $time / 1e3), $parts($mine));
        printf("| %s | %s | %s-%s | %.2f | %.2f-%.2f |\n", $name, $usual, $fastest, $slowest, $parts($ratios)[1], $parts($ratios)[0], $parts($ratios)[2]);
    }
}

/** How many calls fill a slice. */
function repeats(Closure $call): int
{
    for ($count = 1; ($spent = slice($call, $count) * $count) < SLICE; $count = min($count * 10, max($count + 1, $next))) {
        $next = (int) ($count * SLICE / max($spent, 1.0));
    }
    return $count;
}

/** Nanoseconds for one call, over so many of them. */
function slice(Closure $call, int $count): float
{
    $start = hrtime(true);
    $call($count);

    return (hrtime(true) - $start) / $count;
}
