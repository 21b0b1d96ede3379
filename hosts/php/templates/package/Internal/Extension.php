<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\UnavailableException;

/** `3:native` and `2:core`: whether this PHP has loaded the package's extension, and can call it. */
final class Extension
{
    /**
     * For each variant: the file's name, the constant with the hash of its interface, and two functions: why it cannot
     * be called, and how many calls of functions of text and bytes its process has made.
     */
    private const OF = [
        '3:native' => ['native', '{{symbol}}_ABI', '{{symbol}}_ready', '{{symbol}}_calls'],
        '2:core' => ['core', '{{sandbox}}_ABI', '{{sandbox}}_ready', '{{sandbox}}_calls'],
    ];

    /** The number of calls made before this binding. */
    private int $before;

    public function __construct(private string $variant)
    {
        $reason = self::isLoaded($variant) ? self::OF[$variant][2]() : self::whyNot($variant);
        if ($reason !== null) {
            throw new UnavailableException(Calls::PACKAGE . " cannot run at tier $variant: $reason");
        }
        $this->before = self::OF[$variant][3]();
    }

    public function calls(): int
    {
        return self::OF[$this->variant][3]() - $this->before;
    }

    /** The file of the extension that a variant needs, if PHP has not loaded it. */
    public static function missing(string $variant): ?string
    {
        return isset(self::OF[$variant]) && !self::isLoaded($variant) ? self::OF[$variant][0] . '.so' : null;
    }

    public static function whyNot(string $variant): string
    {
        if (\defined(self::OF[$variant][1])) {
            return 'the loaded extension has another interface than this package: run `tierup build`, and start PHP again';
        }
        $name = self::OF[$variant][0] . '.so';
        $files = Built::files($name);
        if ($files === []) {
            return Built::lacks($name);
        }
        // A package may have one for each C library.
        $file = \implode(' or ', $files);

        return "PHP has not loaded its extension: start PHP with `-d extension=$file`, or put this line into its configuration: extension=$file";
    }

    /** The first file of a variant that this PHP can load. Those for musl come first, as Alpine may load others, too. */
    public static function loadable(string $variant): string
    {
        [$kind, $constant] = self::OF[$variant] ?? throw new \ValueError("$variant has no extension: use " . \implode(' or ', \array_keys(self::OF)));
        $tried = '';
        foreach (\array_reverse(Built::files("$kind.so")) as $file) {
            $said = Process::tried([\PHP_BINARY, '-n', '-d', "extension=$file", '-r', "echo defined('$constant') ? 'it is loaded' : '';"]);
            if (\str_ends_with($said, 'it is loaded')) {
                return $file;
            }
            $tried .= "\n  $file: $said";
        }
        throw new UnavailableException($tried === '' ? Built::lacks("$kind.so") : "this PHP cannot load the extension of $variant:$tried");
    }

    public function ready(): void
    {
    }

    public function close(): void
    {
    }

    private static function isLoaded(string $variant): bool
    {
        [, $constant, , $calls] = self::OF[$variant];

        // An extension that an older tierup built has no count. It stays loaded until PHP is started again.
        return \defined($constant) && \constant($constant) === Calls::ABI && \function_exists($calls);
    }
}
