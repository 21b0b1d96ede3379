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

    /**
     * The built files with this name, for this system and processor: the one in the folder, or, in a package for several
     * platforms, one for each C library.
     *
     * @return list<string>
     */
    public static function files(string $name): array
    {
        $platform = self::platform();
        $places = \array_map(static fn(string $place): string => self::FOLDER . "/artifacts/$place$name", ['', "$platform-gnu/", "$platform-musl/", "$platform/"]);

        return \array_values(\array_filter(\array_map(\realpath(...), $places)));
    }

    /** Why a package without a file with this name cannot use it. */
    public static function lacks(string $name): string
    {
        return "artifacts has no $name for " . self::platform() . ': run `tierup build`';
    }

    public static function program(): string
    {
        $programs = self::files(Calls::PACKAGE);
        $program = \count($programs) > 1 ? self::running($programs) : $programs[0] ?? null;
        if ($program === null || !\is_executable($program)) {
            throw new UnavailableException(self::lacks(Calls::PACKAGE . ' that can be executed'));
        }
        return $program;
    }

    /**
     * The first of several programs that runs here. Nobody is asked which C library the system has: a program for another
     * one does not start. A file tells later requests, as each try starts a process.
     */
    private static function running(array $programs): string
    {
        try {
            $these = \implode(' ', \array_map(static fn(string $program): string => $program . \filemtime($program), $programs));
            $note = Place::folder() . '/program-' . \substr(\hash('sha256', $these), 0, 16);
        } catch (UnavailableException) {
            $note = '/dev/null';
        }
        $known = (string) @\file_get_contents($note);
        if (\in_array($known, $programs, true)) {
            return $known;
        }
        $tried = '';
        foreach ($programs as $program) {
            [$code, $said] = Process::tried([$program, '--version']);
            if ($code === 0) {
                @\file_put_contents($note, $program);

                return $program;
            }
            $tried .= "\n  $program: $said";
        }
        throw new UnavailableException("none of the package's programs runs here:$tried");
    }

    /** This system and processor, as the folders of a package for several platforms name them. */
    private static function platform(): string
    {
        $processor = \php_uname('m');

        return \strtolower(\PHP_OS_FAMILY) . '-' . (['x86_64' => 'x64', 'amd64' => 'x64', 'aarch64' => 'arm64'][$processor] ?? $processor);
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
