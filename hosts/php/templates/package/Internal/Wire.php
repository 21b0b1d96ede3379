<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/** Writes elementary types in the encoding of docs/byte-abi.md. Throws a Mismatch for a value that does not fit. */
final class Wire
{
    /** The limit for a value. No variant could pass on more. */
    private const MOST_BYTES = 0x7fffffff;

    public static function bool($value): string
    {
        return \is_bool($value) ? ($value ? "\1" : "\0") : throw Mismatch::expected('a bool', $value);
    }

    public static function i8($value): string
    {
        return \pack('c', self::whole($value, -0x80, 0x7f));
    }

    public static function u8($value): string
    {
        return \chr(self::whole($value, 0, 0xff));
    }

    public static function i16($value): string
    {
        return \pack('v', self::whole($value, -0x8000, 0x7fff) & 0xffff);
    }

    public static function u16($value): string
    {
        return \pack('v', self::whole($value, 0, 0xffff));
    }

    public static function i32($value): string
    {
        return \pack('V', self::whole($value, -0x80000000, 0x7fffffff) & 0xffffffff);
    }

    public static function u32($value): string
    {
        return \pack('V', self::whole($value, 0, 0xffffffff));
    }

    public static function i64($value): string
    {
        return \pack('P', self::whole($value, \PHP_INT_MIN, \PHP_INT_MAX));
    }

    /** Numbers above PHP_INT_MAX are strings of digits, as in mysqlnd. */
    public static function u64($value): string
    {
        if (\is_int($value) && $value >= 0) {
            return \pack('P', $value);
        }
        $what = 'a whole number from 0 to 18446744073709551615, as an int or as digits';
        if (!\is_int($value) && !\is_string($value)) {
            throw Mismatch::expected($what, $value);
        }
        if (\is_int($value) || \preg_match('/\A[0-9]{1,20}\z/', $value) !== 1) {
            throw Mismatch::outside($what, $value);
        }
        $low = $high = 0;
        foreach (\str_split($value) as $digit) {
            $low = 10 * $low + (int) $digit;
            $high = 10 * $high + ($low >> 32);
            $low &= 0xffffffff;
        }
        return $high <= 0xffffffff ? \pack('VV', $low, $high) : throw Mismatch::outside($what, $value);
    }

    public static function f32($value): string
    {
        $bytes = \pack('g', self::number($value));
        if (\is_finite((float) $value) && \is_infinite(\unpack('g', $bytes)[1])) {
            throw Mismatch::outside('a number that 32 bits can hold', $value);
        }
        return $bytes;
    }

    public static function f64($value): string
    {
        return \pack('e', self::number($value));
    }

    public static function text($value): string
    {
        if (!\is_string($value)) {
            throw Mismatch::expected('a string', $value);
        }
        // The empty pattern matches only text in UTF-8.
        if (\preg_match('//u', $value) !== 1) {
            throw Mismatch::outside('a string in UTF-8', $value);
        }
        return \pack('V', \strlen($value)) . $value;
    }

    public static function bytes($value): string
    {
        return \is_string($value) ? \pack('V', \strlen($value)) . $value : throw Mismatch::expected('a string', $value);
    }

    /** Returns the arguments. Throws if there are too many bytes. */
    public static function limited(string $bytes): string
    {
        return \strlen($bytes) <= self::MOST_BYTES ? $bytes : throw new \ValueError('more than 2 GiB of arguments cannot cross');
    }

    private static function whole($value, int $from, int $to): int
    {
        if (!\is_int($value)) {
            throw Mismatch::expected('an int', $value);
        }
        return $value >= $from && $value <= $to ? $value : throw Mismatch::outside("a whole number from $from to $to", $value);
    }

    private static function number($value): float
    {
        return \is_float($value) || \is_int($value) ? (float) $value : throw Mismatch::expected('a float', $value);
    }
}
