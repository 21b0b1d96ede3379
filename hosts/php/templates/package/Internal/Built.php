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

    /** Why a variant cannot run; null if it was built, and its file is here. */
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
            return self::lack($variant);
        }
        return 'it could not be built: ' . ($entry['reason'] ?? 'see `tierup build`');
    }

    /** What a variant that was built needs, and does not find here. An extension that PHP has loaded needs no file. */
    private static function lack(string $variant): ?string
    {
        $isProgram = $variant[0] === '1';
        if ($variant === '1:pool' && Sockets::isElsewhere()) {
            return null;
        }
        if ($isProgram && !\function_exists('proc_open')) {
            return 'disable_functions lists proc_open, by which PHP starts programs';
        }
        $name = $isProgram ? Calls::PACKAGE : Extension::missing($variant);

        return $name === null || self::files($name) !== [] ? null : self::lacks($name);
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
        $here = \realpath(self::FOLDER . "/artifacts/$name");
        if ($here !== false) {
            return [$here];
        }
        $platform = self::platform();
        $libraries = $platform === null ? [] : ['-gnu', '-musl', ''];
        $places = \array_map(static fn(string $library): string => self::FOLDER . "/artifacts/$platform$library/$name", $libraries);

        return \array_values(\array_filter(\array_map(\realpath(...), $places)));
    }

    /** Why a package without a file with this name cannot use it. */
    public static function lacks(string $name): string
    {
        $platform = self::platform();

        return $platform === null
            ? "disable_functions lists php_uname, so the package cannot know which $name is for this processor"
            : "artifacts has no $name for $platform: run `tierup build`";
    }

    public static function program(): string
    {
        $programs = self::files(Calls::PACKAGE);
        $program = \count($programs) > 1
            ? Quiet::run(static fn(): string => self::running($programs), static fn(\Throwable $failure) => throw $failure)
            : $programs[0] ?? null;
        if ($program === null || !\is_executable($program)) {
            throw new UnavailableException(self::lacks(Calls::PACKAGE . ' that can be executed'));
        }
        return $program;
    }

    /** Another program than one that has not answered, if that one no longer starts here. */
    public static function insteadOf(string $program): ?string
    {
        $programs = self::files(Calls::PACKAGE);
        $others = \in_array($program, $programs, true) ? \count($programs) - 1 : 0;
        $found = $others > 0 ? Quiet::run(static fn(): string => self::running($programs, $program)) : null;

        return $found === $program ? null : $found;
    }

    /**
     * The first of several programs that runs here. Nobody is asked which C library the system has: a program for another
     * one does not start. A file tells later requests, as each try starts a process.
     *
     * @param string|null $doubted the program that the file may wrongly name: it is tried first
     */
    private static function running(array $programs, ?string $doubted = null): string
    {
        try {
            // Containers may share the folder, but each has its own PHP.
            $these = \implode(' ', \array_map(static fn(string $one): string => $one . \filemtime($one), [...$programs, \PHP_BINARY]));
            $note = Place::folder() . '/program-' . \substr(\hash('sha256', $these), 0, 16);
        } catch (UnavailableException) {
            $note = '/dev/null';
        }
        $known = $doubted === null ? \file_get_contents($note) : '';
        if (\in_array($known, $programs, true)) {
            return $known;
        }
        $tried = '';
        foreach (\array_unique([$doubted ?? $programs[0], ...$programs]) as $program) {
            $said = Process::tried([$program, '--version']);
            if (\str_contains("\n$said", "\n" . Calls::PACKAGE . ' ')) {
                \file_put_contents($note, $program);

                return $program;
            }
            $tried .= "\n  $program: $said";
        }
        throw new UnavailableException("none of the package's programs runs here:$tried");
    }

    /** This system and processor, as the folders of a package for several platforms name them; null if PHP may not say. */
    private static function platform(): ?string
    {
        if (!\function_exists('php_uname')) {
            return null;
        }
        $processor = \php_uname('m');

        return \strtolower(\PHP_OS_FAMILY) . '-' . (['x86_64' => 'x64', 'amd64' => 'x64', 'aarch64' => 'arm64'][$processor] ?? $processor);
    }

    private static function record(): array
    {
        $text = Quiet::run(static fn(): string|false => \file_get_contents(self::FOLDER . '/built.json'));
        if (!\is_string($text)) {
            return [];
        }
        $record = \json_decode($text, true);

        return \is_array($record) ? $record : throw new UnavailableException('built.json is damaged: run `tierup build`');
    }
}
