<?php

namespace Shop;

final class Tally
{
    public function __construct(public readonly int $words, public readonly ?string $longest)
    {
    }
}

function tally(string $text, ?int $limit = null): Tally
{
    $words = explode(' ', $text);

    return new Tally(count($words), $text === '' ? null : max($words));
}

function describe(string $text, float $ratio, int $count, bool $isLoud, array $tags, array $sizes, $wide, ?string $note): array
{
    return ['0' => $ratio * $count, '1' => -1.5];
}

function shout(string $text): string
{
    return $text === '' ? throw new \InvalidArgumentException('no') : strtoupper($text);
}

function swap(string &$text): string
{
    return $text = strrev($text);
}

function name(string $text): string
{
    return $text;
}

function each(array $words): iterable
{
    yield from $words;
}

function loose(object $options): int
{
    return strlen($options->key);
}

function whisper(string $text): string
{
    return $text;
}

class Desk
{
    public function __construct(private string $mark)
    {
    }

    public function cry(string $text): string
    {
        return $text . $this->marks();
    }

    public function double(int $count): int
    {
        return self::twice($this->same($count));
    }

    public function name(): string
    {
        return 'desk';
    }

    public static function digest(string $text): string
    {
        // No golden call, as its answer changes.
        return $text === '' ? uniqid() : md5($text, true);
    }

    private function marks(): string
    {
        return str_repeat($this->mark, 3);
    }

    private function same(int $count): int
    {
        return $count;
    }

    private static function twice(int $count): int
    {
        return 2 * $count;
    }
}

// Two methods of the same name on one line.
final class One { public static function both(int $a): int { return $a; } } final class Two { public static function both(int $p0 = 0, int $p1 = 0, int $p2 = 0, int $p3 = 0, int $p4 = 0, int $p5 = 0, int $p6 = 0, int $p7 = 0, int $p8 = 0, int $p9 = 0, int $p10 = 0, int $p11 = 0, int $p12 = 0, int $p13 = 0, int $p14 = 0, int $p15 = 0, int $p16 = 0, int $p17 = 0, int $p18 = 0, int $p19 = 0, int $p20 = 0, int $p21 = 0, int $p22 = 0, int $p23 = 0, int $p24 = 0, int $p25 = 0, int $p26 = 0, int $p27 = 0, int $p28 = 0, int $p29 = 0, int $p30 = 0, int $p31 = 0, int $p32 = 0, int $p33 = 0, int $p34 = 0, int $p35 = 0, int $p36 = 0, int $p37 = 0, int $p38 = 0, int $p39 = 0): int { return $p39; } }
