<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\CallException;
use {{namespace}}\CallTimeoutException;
use {{namespace}}\PanicException;
use {{namespace}}\Rust;

/** A binding's calls as a part of a rollout: the candidate answers some, and some are compared. */
final class Roll
{
    private bool $isBaseline;

    /** @param Rust $control the chosen tier */
    public function __construct(public readonly Rust $control, private Rollout $rollout)
    {
        $this->isBaseline = $control->tier()[0] === '0';
    }

    public function call(int $number, array $arguments): mixed
    {
        $name = Calls::NAMES[$number];
        $now = $this->rollout->inForce($this->control->tier());
        if ($now === null) {
            return $this->control->$name(...$arguments);
        }
        // Bound before the control runs: a call in it may begin a new file of counts.
        $counts = $this->rollout->counts;
        $counts->add('calls');
        if ($this->rollout->isShared($now, $number, $arguments)) {
            [$kind, $result] = $this->asked($now, $number, $arguments, $counts);
            if ($kind === null) {
                return $result;
            }
            $answer = $this->control->$name(...$arguments);
            // This is not reached if the control throws, too.
            if ($kind === 'refused') {
                $this->refuse($now, $name, $result, $counts);
            } elseif ($kind === 'errors') {
                $counts->add('erred');
            }
            return $answer;
        }
        return $this->rollout->isSampled($now)
            ? $this->compared($now, $number, $arguments, $counts)
            : $this->timed($now, $this->control, $number, $arguments, $counts);
    }

    /** The answer of the control or the candidate. */
    private function timed(Control $now, Rust $side, int $number, array $arguments, Counts $counts): mixed
    {
        [$name, $isCandidate] = [Calls::NAMES[$number], $side !== $this->control];
        $began = Pairs::begin($now, $counts, $number, $isCandidate);
        $answer = $side->$name(...$arguments);
        Pairs::end($now, $counts, $number, $isCandidate, $began);

        return $answer;
    }

    public function ready(): void
    {
        $this->control->ready();
        $this->rollout->ready();
    }

    public function close(): void
    {
        $this->control->close();
    }

    /** The candidate's answer after null; or how it failed, and the exception. */
    private function asked(Control $now, int $number, array $arguments, Counts $counts): array
    {
        [$mark, $call] = [$this->rollout->mark, new \stdClass()];
        try {
            $mark?->enter($call);
            $counts->add('shared');
            $answer = $this->timed($now, $now->variant, $number, $arguments, $counts);
        } catch (\Throwable $failure) {
            // A signal's handler has ended the call.
            if (!Quiet::isOwn($failure)) {
                throw $failure;
            }
            $kind = match (true) {
                $failure instanceof CallException => 'errors',
                $failure instanceof PanicException => 'panics',
                $failure instanceof CallTimeoutException => 'timeouts',
                $failure instanceof \TypeError, $failure instanceof \ValueError => 'refused',
                default => 'lost',
            };
            $kind === 'refused' || $counts->add($kind);
            $this->rollout->ended($now, $kind !== 'refused' && $kind !== 'errors');

            return [$kind, $failure];
        } finally {
            $mark?->leave($call);
        }
        $this->rollout->ended($now, false);

        return [null, $answer];
    }

    /** The control's answer. The arguments are encoded before anybody can change them. */
    private function compared(Control $now, int $number, array $arguments, Counts $counts): mixed
    {
        $name = Calls::NAMES[$number];
        $refusal = null;
        $encoded = Quiet::run(
            static fn() => Copies::arguments($number, $arguments),
            static function (\Throwable $failure) use (&$refusal): null {
                $refusal = $failure;
                return null;
            },
        );
        try {
            $answer = $this->control->$name(...$arguments);
        } catch (\Throwable $failure) {
            $answer = $refusal === null ? Copies::error($failure, $this->isBaseline) : null;
            // Arguments that both sides refuse, and a control that was lost, say nothing about the candidate.
            if ($answer !== null) {
                $this->send($now, $number, $encoded, $answer, $counts);
            }
            throw $failure;
        }
        if ($refusal === null) {
            $content = $encoded === null ? null : Quiet::run(static fn() => Copies::answer($number, $answer));
            $this->send($now, $number, $encoded, $content, $counts);
        } else {
            $counts->add('sampled');
            $this->refuse($now, $name, $refusal, $counts);
        }
        return $answer;
    }

    private function send(Control $now, int $number, ?string $arguments, ?string $answer, Counts $counts): void
    {
        $counts->add('sampled');
        if ($arguments === null || $answer === null) {
            $counts->add('too_large');
        } elseif (Quiet::run(fn() => $this->rollout->shadow?->send($number, $arguments, $answer, $now->keepsValues)) !== true) {
            $counts->add('dropped');
        }
    }

    /** Counts arguments that the control has answered and the candidate refuses. The reason may contain values. */
    private function refuse(Control $now, string $name, \Throwable $why, Counts $counts): void
    {
        $counts->add('refused');
        $counts->refusal ??= $now->keepsValues ? \substr("$name: " . $why->getMessage(), 0, 100) : $name;
    }
}
