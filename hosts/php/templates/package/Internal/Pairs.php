<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * Compares how long calls of the candidate and of the control take, in pairs of one call each, while each side gets half
 * of the calls. Chance decides who gets a call, so a candidate that is not slower loses no more than half of the pairs,
 * whatever the calls are. At other shares, the code of the rarer side is not in the processor's caches.
 */
final class Pairs
{
    /** So many calls of the candidate are not timed: code may still be loaded. */
    private const WARM_UP = 100;

    /** When a call begins; null if it is not timed. */
    public static function begin(Control $now, Counts $counts): ?int
    {
        $isTimed = $now->slower !== null && $now->share === 0.5 && !$now->isByInput && $now->variant !== null;

        return $isTimed && $counts->sum('shared') > self::WARM_UP ? \hrtime(true) : null;
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
        $tolerated = $now->slower * $control;
        $lead = ($candidate - $tolerated) / ($candidate + $tolerated);
        $counts->add($lead > 0 ? 'behind' : 'ahead', (int) \round(\abs($lead) * 1e6));
        $counts->add('squares', (int) \round($lead ** 2 * 1e6));
        $counts->add('control_ns', $control);
        $counts->add('candidate_ns', $candidate);
    }
}
