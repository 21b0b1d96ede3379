<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * A value that does not fit the signature. Each level that it passes adds its place in the arguments. The last one
 * makes it the caller's TypeError or ValueError: `$items[3]->value: expected a bool, got null`.
 */
final class Mismatch extends \Exception
{
    private string $place = '';

    private bool $isType = true;

    /** A value of the wrong type. */
    public static function expected(string $what, mixed $value): self
    {
        return new self("expected $what, got " . self::described($value));
    }

    /** A value of the right type but out of range. */
    public static function outside(string $what, mixed $value): self
    {
        $mismatch = self::expected($what, $value);
        $mismatch->isType = false;

        return $mismatch;
    }

    public function within(string $place): self
    {
        $this->place = $place . $this->place;

        return $this;
    }

    /** The error for the caller. */
    public function refusal(string $place): \Error
    {
        $message = "\$$place$this->place: " . $this->getMessage();

        return $this->isType ? new \TypeError($message) : new \ValueError($message);
    }

    private static function described(mixed $value): string
    {
        return match (true) {
            \is_string($value) && \strlen($value) > 40 => 'a long string',
            \is_string($value) && \preg_match('//u', $value) !== 1 => 'a string that is not UTF-8',
            \is_scalar($value) => \var_export($value, true),
            default => \get_debug_type($value),
        };
    }
}
