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
        return $text === '' ? 'none' : md5($text, true);
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
