<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/** Reads values of elementary types, one after another. */
final class Reader
{
    private int $length;

    public function __construct(private string $bytes, private int $at = 0)
    {
        $this->length = \strlen($bytes);
    }

    public function bool(): bool
    {
        $byte = $this->u8();

        return $byte <= 1 ? $byte === 1 : throw $this->malformed('bool');
    }

    public function u8(): int
    {
        return \ord($this->take(1));
    }

    public function i8(): int
    {
        return \unpack('c', $this->take(1))[1];
    }

    public function u16(): int
    {
        return \unpack('v', $this->take(2))[1];
    }

    public function i16(): int
    {
        return ($this->u16() ^ 0x8000) - 0x8000;
    }

    public function u32(): int
    {
        return \unpack('V', $this->take(4))[1];
    }

    public function i32(): int
    {
        return ($this->u32() ^ 0x80000000) - 0x80000000;
    }

    public function i64(): int
    {
        return \unpack('P', $this->take(8))[1];
    }

    /** A string of digits if an int cannot hold the number. */
    public function u64(): int|string
    {
        $value = $this->i64();

        return $value >= 0 ? $value : \sprintf('%u', $value);
    }

    public function f32(): float
    {
        return \unpack('g', $this->take(4))[1];
    }

    public function f64(): float
    {
        return \unpack('e', $this->take(8))[1];
    }

    public function text(): string
    {
        return $this->bytes();
    }

    public function bytes(): string
    {
        return $this->take($this->u32());
    }

    /** The number of items that follow. An item may be empty. */
    public function count(): int
    {
        return $this->u32();
    }

    public function finish(): void
    {
        if ($this->at !== $this->length) {
            throw $this->lost('more bytes follow it');
        }
    }

    public function malformed(string $what): \Exception
    {
        return $this->lost("a $what is malformed");
    }

    private function take(int $length): string
    {
        $at = $this->at;
        if ($length > $this->length - $at) {
            throw $this->lost('it ends too early');
        }
        $this->at = $at + $length;

        return \substr($this->bytes, $at, $length);
    }

    private function lost(string $why): \Exception
    {
        return new \{{namespace}}\TransportException("cannot read an answer: $why");
    }
}
