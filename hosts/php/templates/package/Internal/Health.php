<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\HealthException;
use {{namespace}}\Rust;

/** `[health]` of tierup.toml: a golden call, and the SHA-256 of each correct answer. */
final class Health
{
    public static function check(Rust $rust): void
    {
        if (Calls::HEALTH === null) {
            throw new HealthException(Calls::PACKAGE . ' has no golden call: give it a [health] in tierup.toml');
        }
        [$number, $arguments, $right] = Calls::HEALTH;
        $name = Calls::NAMES[$number];
        $where = "the golden call of $name at tier " . $rust->tier();
        try {
            $answer = $rust->$name(...Calls::{"readArguments$number"}(new Reader($arguments)));
            $content = Calls::RAW[$number] ? $answer : Calls::{"output$number"}($answer);
        } catch (\Throwable $failure) {
            throw new HealthException("$where failed: " . $failure->getMessage(), 0, $failure);
        }
        $digest = \hash('sha256', $content);
        if (!\in_array($digest, $right, true)) {
            $right = \implode(' or ', $right);
            throw new HealthException("$where gave a wrong answer: its SHA-256 is $digest, expected $right");
        }
    }
}
