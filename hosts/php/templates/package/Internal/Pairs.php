<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * Compares how long calls of the candidate and of the control take, in pairs of calls of one function, while each side gets
 * half of them. Chance decides who gets a call, so the leads of a candidate that is not slower add up to 0 at most. At other
 * shares, the code of the rarer side is not in the processor's caches.
 *
 * What one request must tell the next is in the file of counts: for each function the candidate's calls so far in this
 * process, and the nanoseconds of a timed call that waits for one of the other side, negative for the candidate's, or 0.
 */
final class Pairs
{
    /** So many calls of the candidate are not timed, for each function: code may still be loaded. */
    private const WARM_UP = 100;

    /** The longer time of a pair counts as this many times the shorter one at most: the process may have been stopped. */
    private const MOST_APART = 100;

    /** The most functions whose calls are timed: the file has room for few. */
    private const MOST_FUNCTIONS = 8;

    /** When a call begins that is not compared; null if it is not timed. */
    public static function begin(Control $now, Counts $counts, int $number, bool $isCandidate): ?int
    {
        if ($now->slower === null || $now->share !== 0.5 || $now->isByInput || $now->variant === null) {
            return null;
        }
        $of = $now->identity . ' ' . \getmypid();
        if (($counts->state['pairs']['of'] ?? '') !== $of) {
            $counts->state['pairs'] = ['of' => $of];
        }
        $pairs = &$counts->state['pairs'];
        if (!isset($pairs[$number])) {
            if (\count($pairs) > self::MOST_FUNCTIONS) {
                return null;
            }
            $pairs[$number] = [0, 0];
        }
        $pairs[$number][0] += (int) $isCandidate;
        // The same part of the control's calls is compared, and not timed.
        $isLeftOut = $isCandidate && \mt_getrandmax() * $now->shadow > \random_int(0, \mt_getrandmax());

        return $pairs[$number][0] > self::WARM_UP && !$isLeftOut ? \hrtime(true) : null;
    }

    /** Takes in a call that has given a value. */
    public static function end(Control $now, Counts $counts, int $number, bool $isCandidate, ?int $began): void
    {
        if ($began === null || !isset($counts->state['pairs'][$number])) {
            return;
        }
        $took = \max(\hrtime(true) - $began, 1);
        $waiting = &$counts->state['pairs'][$number][1];
        if ($waiting === 0 || $waiting < 0 === $isCandidate) {
            $waiting = $isCandidate ? -$took : $took;
            return;
        }
        [$candidate, $control] = $isCandidate ? [$took, $waiting] : [-$waiting, $took];
        $waiting = 0;
        $tolerated = $now->slower * $control;
        $lead = ($candidate - $tolerated) / ($candidate + $tolerated);
        $counts->add('pairs');
        $counts->add($lead > 0 ? 'behind' : 'ahead', (int) \round(\abs($lead) * 1e6));
        $counts->add('squares', (int) \round($lead ** 2 * 1e6));
        $counts->add('control_ns', \min($control, self::MOST_APART * $candidate));
        $counts->add('candidate_ns', \min($candidate, self::MOST_APART * $control));
    }
}
