<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\Rust;

/** The control file of a rollout inside the process, named by TIERUP_ROLLOUT: plain `key=value` lines. */
final class Control
{
    /** Longer files are not valid, in bytes. */
    private const LONGEST = 4096;

    /** What answers the candidate's share; null without one. */
    public ?Rust $variant = null;

    /** @param string $identity changes with everything except `until` */
    private function __construct(
        public readonly string $candidate,
        public readonly float $shadow,
        public readonly float $share,
        public readonly bool $isByInput,
        public readonly bool $keepsValues,
        public readonly ?float $slower,
        public readonly ?string $key,
        public readonly string $generation,
        public readonly float $until,
        public readonly string $identity,
    ) {
    }

    /** @throws \UnexpectedValueException if there is no whole control file */
    public static function read(string $path): self
    {
        // `n`: it does not wait for anything but a regular file.
        $file = \fopen($path, 'rne') ?: throw new \UnexpectedValueException('it cannot be opened');
        if ((\fstat($file)['mode'] & 0170000) !== 0100000) {
            throw new \UnexpectedValueException('it is not a file');
        }
        $text = (string) \stream_get_contents($file, self::LONGEST + 1);
        \fclose($file);
        if (\strlen($text) > self::LONGEST) {
            throw new \UnexpectedValueException('it has more than ' . self::LONGEST . ' bytes');
        }
        return self::parse($text);
    }

    /** Unknown keys are ignored, so newer files can be read. */
    public static function parse(string $text): self
    {
        if (!\str_ends_with($text, "\n")) {
            throw new \UnexpectedValueException('its last line has no end: it may be cut');
        }
        [$values, $before] = [[], ''];
        foreach (\explode("\n", \substr($text, 0, -1)) as $line) {
            $isPair = \preg_match('/\A([\w-]+)=(.*)\z/', $line, $parts) === 1;
            if (isset($values['checksum'])) {
                throw new \UnexpectedValueException('`checksum` must be its last line');
            }
            // As in the control file of `tierup ramp`. It detects truncated files, not forged ones.
            if ($isPair && $parts[1] === 'checksum' && $parts[2] !== \substr(\hash('sha256', $before), 0, 16)) {
                throw new \UnexpectedValueException('its checksum does not fit the lines above it');
            }
            $before .= "$line\n";
            if ($line === '' || $line[0] === '#') {
                continue;
            }
            if (!$isPair || isset($values[$parts[1]])) {
                $why = $isPair ? "it has `$parts[1]` twice" : 'its line `' . \substr($line, 0, 40) . '` is not key=value';
                throw new \UnexpectedValueException($why);
            }
            $values[$parts[1]] = $parts[2];
        }
        $until = $values['until'] ?? '1e300';
        unset($values['until'], $values['checksum']);
        return new self(
            ($values['candidate'] ?? '') ?: throw new \UnexpectedValueException('`candidate` is missing'),
            self::part($values, 'shadow'),
            self::part($values, 'share'),
            self::isOther($values, 'by', 'call', 'input'),
            self::isOther($values, 'keep', 'counts', 'values'),
            self::slower($values['slower'] ?? null),
            $values['key'] ?? null,
            $values['generation'] ?? '',
            \is_numeric($until) ? (float) $until : throw new \UnexpectedValueException('`until` must be a number of seconds since 1970'),
            \hash('xxh64', \serialize($values)),
        );
    }

    /** How many times as long as the control the candidate may take; null if times are not compared. */
    private static function slower(?string $text): ?float
    {
        if ($text !== null && !(\is_numeric($text) && $text >= 1 && $text <= 1000)) {
            throw new \UnexpectedValueException('`slower` must be a number from 1 to 1000');
        }
        return $text === null ? null : (float) $text;
    }

    private static function part(array $values, string $key): float
    {
        $text = $values[$key] ?? '0';
        if (\preg_match('/\A(0?\.[0-9]+|0|1(\.0*)?)\z/', $text) !== 1) {
            throw new \UnexpectedValueException("`$key` must be a number from 0 to 1, such as 0.01, got `" . \substr($text, 0, 40) . '`');
        }
        return (float) $text;
    }

    /** Whether the value is `$other`, the unusual one. */
    private static function isOther(array $values, string $key, string $usual, string $other): bool
    {
        return match ($text = $values[$key] ?? $usual) {
            $usual => false,
            $other => true,
            default => throw new \UnexpectedValueException("`$key` must be $usual or $other, got `" . \substr($text, 0, 40) . '`'),
        };
    }
}
