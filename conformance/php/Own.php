<?php

declare(strict_types=1);

/** The server's own functions (tier 0): some of those in Rust. They count their calls. */
final class Own
{
    private static int $calls = 0;

    private static function counted(mixed $value): mixed
    {
        self::$calls++;

        return $value;
    }

    public static function echoText(string $text): string
    {
        return self::counted($text);
    }

    public static function echoTexts(array $texts): array
    {
        return self::counted($texts);
    }

    public static function echoOptionText(?string $text): ?string
    {
        return self::counted($text);
    }

    public static function echoPoint(Conformance\Point $point): Conformance\Point
    {
        return self::counted($point);
    }

    public static function echoOwnedText(string $text): string
    {
        return self::counted($text);
    }

    public static function doNothing(): void
    {
        self::counted(null);
    }

    public static function fail(string $words): never
    {
        throw new DomainException(self::counted($words));
    }

    public static function countCalls(): int
    {
        return self::$calls;
    }
}
