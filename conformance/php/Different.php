<?php

declare(strict_types=1);

/** Functions of a server, for rollouts (tier 0:different): like those in Rust, but for some inputs. */
final class Different
{
    public static function echoText(string $text): string
    {
        return $text === '😀' ? ':-)' : $text;
    }

    public static function panicIf(bool $condition, string $text): string
    {
        return strtoupper($text);
    }

    public static function fail(string $words): string
    {
        return $words === 'nothing' ? '' : throw new DomainException("own words for $words");
    }

    public static function hangOn(string $word): int
    {
        return $word === 'changed' ? 0 : strlen($word);
    }

    public static function makeBytes(int $length): string
    {
        return str_repeat("\1", min($length, 100));
    }

    /** Changes its argument before anybody compares. */
    public static function echoTexts(array &$texts): array
    {
        $answer = $texts;
        $texts = [];

        return $answer;
    }

    public static function echoBytes(string $content): string
    {
        return $content;
    }

    public static function countCalls(): int
    {
        return 0;
    }
}
