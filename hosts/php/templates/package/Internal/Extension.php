<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace MODULE\Internal;

use MODULE\UnavailableException;

/** `3:native`: whether this PHP has loaded the package's extension. */
final class Extension
{
    public function __construct()
    {
        if (!self::isLoaded()) {
            throw new UnavailableException(Calls::PACKAGE . ' cannot run at tier 3:native: ' . self::whyNot());
        }
    }

    public static function isLoaded(): bool
    {
        return \defined('SYMBOL_ABI') && \constant('SYMBOL_ABI') === Calls::ABI;
    }

    public static function whyNot(): string
    {
        if (\defined('SYMBOL_ABI')) {
            return 'the loaded extension has another interface than this package: run `tierup build`, and start PHP again';
        }
        $file = self::file();

        return "PHP has not loaded its extension: start PHP with `-d extension=$file`, or put this line into its configuration: extension=$file";
    }

    public static function file(): string
    {
        return Built::extension();
    }

    public function ready(): void
    {
    }

    public function close(): void
    {
    }
}
