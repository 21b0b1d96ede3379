<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\Rust;
use {{namespace}}\UnavailableException;

/** Chooses the tier that answers. */
final class Tiers
{
    /** All variants in Rust, the best first. If TIERUP_TIER requests none, the first that was built runs. */
    public const BEST_FIRST = ['3:native', '2:core', '1:pool', '1:spawn'];

    private const OF_TIER = ['1' => ['1:pool', '1:spawn'], '2' => ['2:core'], '3' => ['3:native']];

    /** Variants of other hosts, and why this host lacks them. */
    private const ELSEWHERE = [
        '0:workers' => "the server's own processes already use all processors",
        '2:bindgen' => 'wasm-bindgen supports only JavaScript; use 2:core',
        '2:component' => 'PHP has no Wasm runtime, and the embedded one runs 2:core; use 2:core',
        '3:async' => 'a PHP process serves one request at a time; use 3:native',
    ];

    /** @return array{Rust, string, string} the binding, the requested tier, and why an unexpected tier runs */
    public static function choose(mixed $baseline, array $baselines, ?string $tier): array
    {
        $permitted = self::permitted();
        $found = Own::read($baseline, $baselines);
        // `?:` would take '0' for nothing.
        $asked = $tier ?? (string) \getenv('TIERUP_TIER');
        try {
            $rust = self::load(self::nameOf(self::withoutAlternative($asked), $found), $found);

            return [self::inRollout($rust), $asked, $asked === '' && $rust->tier() === '0' ? self::unasked() : ''];
        } catch (UnavailableException $exception) {
            if ($permitted === []) {
                throw $exception;
            }
            $fallback = self::fallBack($exception, $permitted, $found);
            $reason = self::inOneLine($exception->getMessage());
            $line = "$reason; falling back to tier " . $fallback->tier();
            if (Place::isFirst('fallback-' . \hash('xxh64', $line))) {
                self::say($line);
            }

            return [self::inRollout($fallback), $asked, $reason];
        }
    }

    /** The tier, as the control of a rollout if TIERUP_ROLLOUT names a file. */
    private static function inRollout(Rust $control): Rust
    {
        $path = (string) \getenv('TIERUP_ROLLOUT');

        return $path === '' ? $control : Rollout::around($control, $path);
    }

    /** Reports once that tier 0 runs although it was not requested, and returns the message. */
    private static function unasked(): string
    {
        $reasons = self::reasons(self::BEST_FIRST);
        $line = self::inOneLine(Calls::PACKAGE . ": your own code runs, at tier 0, as$reasons");
        if (Place::isFirst('tier0')) {
            self::say($line);
        }
        return $line;
    }

    /** `php -q -S` drops log messages, so this writes to standard error. */
    public static function say(string $line): void
    {
        \PHP_SAPI === 'cli-server' ? \file_put_contents('php://stderr', "$line\n") : \error_log($line);
    }

    /** `#NAME` of TIERUP_TIER, or ''. Rust reads it once, so the whole process calls one implementation. */
    private static function alternative(): string
    {
        return (string) \strstr((string) \getenv('TIERUP_TIER'), '#');
    }

    /** The requested row without its alternative: `3:native` for `3:native#NAME`. */
    private static function withoutAlternative(string $asked): string
    {
        $package = Calls::PACKAGE;
        $mark = (string) \strstr($asked, '#');
        $base = \substr($asked, 0, \strlen($asked) - \strlen($mark));
        if ($base === '0' || \str_starts_with($base, '0:')) {
            if ($mark !== '') {
                throw new \ValueError("$asked is not a tier: $base runs no Rust, so it has no alternatives");
            }
            return $base;
        }
        $name = \substr($mark, 1);
        if ($mark !== '' && !\in_array($name, Calls::ALTERNATIVES, true)) {
            $has = Calls::ALTERNATIVES === [] ? 'none' : \implode(', ', Calls::ALTERNATIVES);
            throw new \ValueError("$package has no alternative '$name': [function.alternatives] in tierup.toml has $has");
        }
        if ($mark !== self::alternative()) {
            throw new \ValueError("an alternative holds for the whole process: set TIERUP_TIER=$asked, rather than ask for $asked beside another");
        }
        return $base;
    }

    private static function nameOf(string $asked, array $found): string
    {
        if ($asked === '') {
            return self::best($found);
        }
        $package = Calls::PACKAGE;
        if (isset(self::ELSEWHERE[$asked])) {
            throw new UnavailableException("$package cannot run at tier $asked: " . self::ELSEWHERE[$asked]);
        }
        if ($asked === '0' || \str_starts_with($asked, '0:') || \in_array($asked, self::BEST_FIRST, true)) {
            return $asked;
        }
        if ($asked === '4' || $asked === '4:server') {
            throw new \ValueError("tier 4 is a separate server, which $package cannot load: run `tierup serve --tier 4`");
        }
        $variants = self::OF_TIER[$asked] ?? null;
        if ($variants === null) {
            $all = \implode(', ', self::BEST_FIRST);
            throw new \ValueError("$asked is not a tier: use 0, 0:free, 0:memo, 0:LABEL, 1, 2, 3 or one of $all");
        }
        foreach ($variants as $name) {
            if (Built::whyNot($name) === null) {
                return $name;
            }
        }
        throw new UnavailableException("$package cannot run at tier $asked:" . self::reasons($variants));
    }

    /** The best variant that was built and can be loaded, or the baseline if there is none. */
    private static function best(array $found): string
    {
        $package = Calls::PACKAGE;
        // A variant was built for another interface. Running the baseline would hide that.
        if (Built::isStale()) {
            throw new UnavailableException("$package cannot run: " . Built::whyNot(''));
        }
        foreach (self::BEST_FIRST as $name) {
            if (Built::whyNot($name) === null && Extension::missing($name) === null) {
                return $name;
            }
        }
        if (isset($found[''])) {
            return '0';
        }
        throw new UnavailableException("$package has nothing to run: it has no baseline, and" . self::reasons(self::BEST_FIRST));
    }

    private static function reasons(array $variants): string
    {
        $reasons = Built::isEmpty() ? ' ' . Built::NOTHING : '';
        $variants = $reasons === '' ? $variants : [];
        foreach ($variants as $name) {
            $reasons .= "\n  $name: " . (Built::whyNot($name) ?? Extension::whyNot($name));
        }
        return $reasons;
    }

    public static function load(string $name, array $found): Rust
    {
        if ($name === '0' || \str_starts_with($name, '0:')) {
            $label = \substr($name, 2);
            // 0:free and 0:memo wrap the function of tier 0.
            $isTierZero = \in_array($label, ['', 'free', 'memo'], true);
            $own = $found[$isTierZero ? '' : $label] ?? null;
            if ($own === null) {
                $option = $isTierZero ? 'baseline: …' : "baselines: ['$label' => …]";
                $package = Calls::PACKAGE;
                throw new \ValueError("tier $name needs the function that $package replaces: hand it over as Rust::with($option)");
            }
            return match ($label) {
                'free' => new Free($name, new Recorded($own)),
                'memo' => new Memoized($name, new Memo($own)),
                default => new Baseline($name, $own),
            };
        }
        $reason = Built::whyNot($name);
        if ($reason !== null) {
            throw new UnavailableException(Calls::PACKAGE . " cannot run at tier $name: $reason");
        }
        $tier = $name . self::alternative();
        if ($name === '1:pool' && $tier !== $name) {
            throw new UnavailableException(Calls::PACKAGE . " cannot run at tier $tier: servers that call another implementation may share the pool");
        }
        return match ($name) {
            '3:native' => new Native($tier, new Extension($name)),
            '2:core' => new Sandboxed($tier, new Extension($name)),
            '1:pool' => new Encoded($tier, new Workers()),
            default => new Encoded($tier, new Spawn()),
        };
    }

    /** The rows that TIERUP_FALLBACK permits, in order: none if it is empty or `0`, all for `1`, or those that it lists. */
    private static function permitted(): array
    {
        $listed = \trim((string) \getenv('TIERUP_FALLBACK'));
        if ($listed === '0' || $listed === '1') {
            return $listed === '0' ? [] : [...self::BEST_FIRST, '0'];
        }
        $names = \array_filter(\array_map(trim(...), \explode(',', $listed)), static fn(string $name): bool => $name !== '');
        foreach ($names as $name) {
            if ($name !== '0' && !\str_starts_with($name, '0:') && !\in_array($name, self::BEST_FIRST, true)) {
                $all = \implode(', ', self::BEST_FIRST);
                throw new \ValueError("TIERUP_FALLBACK: $name is no variant: use 1, or a list of 0 and $all");
            }
        }
        return $names;
    }

    /** The first of these rows that can run. */
    private static function fallBack(UnavailableException $reason, array $permitted, array $found): Rust
    {
        $others = '';
        foreach ($permitted as $name) {
            try {
                return self::load($name, $found);
            } catch (UnavailableException|\ValueError $exception) {
                $others .= "\n  " . self::inOneLine($exception->getMessage());
            }
        }
        throw new UnavailableException($reason->getMessage() . "\nnor at what TIERUP_FALLBACK permits:$others");
    }

    private static function inOneLine(string $text): string
    {
        return \preg_replace('/\s+/', ' ', $text);
    }
}
