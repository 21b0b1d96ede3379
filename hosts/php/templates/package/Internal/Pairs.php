<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * Compares how long calls of the candidate and of the control take, in pairs of one call each. Chance decides who gets a
 * call, and with the same probability for both sides, whether it is timed. So a candidate that is not slower loses no more
 * than half of the pairs, whatever the calls are.
 */
final class Pairs
{
    /** So many calls of the candidate are not timed: code may still be loaded. */
    private const WARM_UP = 100;

    /** When a call of the candidate or the control begins; null if it is not timed. */
    public static function begin(Control $now, Counts $counts, bool $isCandidate, \Random\Randomizer $random): ?int
    {
        if ($now->slower === null || $now->isByInput || $now->variant === null || $counts->sum('shared') <= self::WARM_UP) {
            return null;
        }
        $part = $isCandidate ? 1 - $now->share : $now->share;

        return $random->getInt(0, 0xffffffff) * (1 - $part) < $part * 2 ** 32 ? \hrtime(true) : null;
    }

    /** Takes in a call that has given a value. */
    public static function end(Control $now, Counts $counts, bool $isCandidate, ?int $began): void
    {
        if ($began === null) {
            return;
        }
        $took = \max(\hrtime(true) - $began, 1);
        // A timed call that waits for one of the other side, maybe in another request: negative for the candidate's.
        $waiting = $counts->state['timed'] ?? 0;
        $counts->state['timed'] = $isCandidate ? -$took : $took;
        if ($waiting === 0 || $waiting < 0 === $isCandidate) {
            return;
        }
        $counts->state['timed'] = 0;
        [$candidate, $control] = $isCandidate ? [$took, $waiting] : [-$waiting, $took];
        $counts->add('pairs');
        $counts->add('slower', (int) ($candidate > $now->slower * $control));
        $counts->add('control_ns', $control);
        $counts->add('candidate_ns', $candidate);
    }
}
