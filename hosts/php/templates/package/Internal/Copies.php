<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\CallException;
use {{namespace}}\PanicException;
use {{namespace}}\RustException;

/** Encoded copies of arguments and answers, for the process that compares them. */
final class Copies
{
    /** The most bytes that the arguments may have, and that an answer may have. */
    private const LARGEST = 64 << 10;

    /** A value within others that are deeper than this is not read: it may contain itself. */
    private const DEEPEST = 64;

    /** Null if they are too large. Throws if the candidate would refuse them. */
    public static function arguments(int $number, array $arguments): ?string
    {
        return self::bounded($arguments, static fn(): string => Calls::{"arguments$number"}(...$arguments));
    }

    /** Null if it is too large. */
    public static function answer(int $number, mixed $value): ?string
    {
        try {
            return self::bounded($value, static fn(): string => "\0" . Calls::{"output$number"}($value));
        } catch (Mismatch $mismatch) {
            // No tier in Rust can return this value.
            return self::message(3, $mismatch);
        }
    }

    /** How a call failed; null if that says nothing about the function. Anything that a baseline throws is its error. */
    public static function error(\Throwable $failure, bool $isBaseline): ?string
    {
        return match (true) {
            $failure instanceof CallException => self::message(1, $failure),
            $failure instanceof PanicException => self::message(2, $failure),
            $failure instanceof RustException => null,
            $isBaseline => self::message(1, $failure),
            $failure instanceof \TypeError, $failure instanceof \ValueError => self::message(3, $failure),
            default => null,
        };
    }

    private static function message(int $tag, \Throwable $failure): string
    {
        $words = \substr($failure->getMessage(), 0, 1000);

        return \pack('CV', $tag, \strlen($words)) . $words;
    }

    /** Encoding copies a value before its length is known, so this looks at it first. */
    private static function bounded(mixed $value, \Closure $encode): ?string
    {
        $content = self::left(self::LARGEST, $value, 0) < 0 ? null : $encode();

        return $content === null || \strlen($content) > self::LARGEST ? null : $content;
    }

    /** How many of the bytes remain after a value, which takes at least one for each item; below 0 if there are too few. */
    private static function left(int $most, mixed $value, int $depth): int
    {
        if (\is_string($value)) {
            return $most - \strlen($value);
        }
        if (!\is_array($value) && !\is_object($value)) {
            return $most;
        }
        $most = $depth > self::DEEPEST ? -1 : $most - (\is_array($value) ? \count($value) : 0);
        foreach ($most < 0 ? [] : $value as $item) {
            if (($most = self::left($most, $item, $depth + 1)) < 0) {
                break;
            }
        }
        return $most;
    }
}
