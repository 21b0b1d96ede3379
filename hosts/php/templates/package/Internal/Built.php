<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\UnavailableException;

/** The variants that `tierup build` built, from `built.json`, and their files. */
final class Built
{
    /** The package's folder. */
    private const FOLDER = __DIR__ . '/../..';

    /** Why no variant can run if none was built. */
    public const NOTHING = 'no variant is built here: run `tierup build`';

    /** Whether no build has recorded anything. */
    public static function isEmpty(): bool
    {
        return (self::record()['variants'] ?? []) === [];
    }

    /** Why a variant cannot run; null if it was built. */
    public static function whyNot(string $variant): ?string
    {
        $record = self::record();
        if (($record['abi'] ?? Calls::ABI) !== Calls::ABI) {
            return 'the built files have another interface than this package: run `tierup build`';
        }
        $entry = $record['variants'][$variant] ?? null;
        if ($entry === null) {
            return ($record['variants'] ?? []) === [] ? self::NOTHING : "it was not built: run `tierup build --tiers $variant`";
        }
        if (($entry['built'] ?? false) === true) {
            return null;
        }
        return 'it could not be built: ' . ($entry['reason'] ?? 'see `tierup build`');
    }

    /** Whether the built files are for another interface than this package's. */
    public static function isStale(): bool
    {
        return (self::record()['abi'] ?? Calls::ABI) !== Calls::ABI;
    }

    public static function program(): string
    {
        $program = self::FOLDER . '/artifacts/' . Calls::PACKAGE;
        $real = \realpath($program);
        if ($real === false || !\is_executable($real)) {
            throw new UnavailableException("$program cannot be executed: run `tierup build`");
        }
        return $real;
    }

    /** The file of an extension: `native` or `core`. */
    public static function extension(string $kind): string
    {
        $extension = self::FOLDER . "/artifacts/$kind.so";

        return \realpath($extension) ?: $extension;
    }

    private static function record(): array
    {
        $text = @\file_get_contents(self::FOLDER . '/built.json');
        if ($text === false) {
            return [];
        }
        $record = \json_decode($text, true);

        return \is_array($record) ? $record : throw new UnavailableException('built.json is damaged: run `tierup build`');
    }
}
