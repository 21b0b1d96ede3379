<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\UnavailableException;

/** A baseline: the server's own functions, by the number of the function that each replaces. */
final class Own
{
    /** @param array<int, \Closure> $functions */
    private function __construct(public readonly array $functions)
    {
    }

    public function ready(): void
    {
    }

    public function close(): void
    {
    }

    /**
     * Checks the arguments of `Rust::with`. Returns the baselines by label; `baseline` has the label ''.
     *
     * @return array<string, self>
     */
    public static function read(mixed $baseline, array $baselines): array
    {
        $found = $baseline === null ? [] : ['' => self::of('baseline', $baseline)];
        foreach ($baselines as $label => $given) {
            $label = (string) $label;
            if (\preg_match('/\A[A-Za-z0-9_-]+\z/', $label) !== 1 || \in_array($label, ['free', 'memo', 'workers'], true)) {
                throw new \ValueError("'$label' cannot label a baseline: it takes letters, digits, - and _, and is not free, memo or workers");
            }
            $found[$label] = self::of("baselines['$label']", $given);
        }
        return $found;
    }

    private static function of(string $place, mixed $given): self
    {
        $functions = [];
        foreach (Calls::NAMES as $number => $name) {
            $function = match (true) {
                \is_array($given) && !\is_callable($given) => $given[$name] ?? null,
                \is_object($given) && !$given instanceof \Closure, \is_string($given) && \class_exists($given) => [$given, $name],
                default => null,
            };
            if ($function !== null && \is_callable($function)) {
                $functions[$number] = \Closure::fromCallable($function);
            }
        }
        if ($functions === [] && \count(Calls::NAMES) === 1 && \is_callable($given)) {
            $functions[0] = \Closure::fromCallable($given);
        }
        if ($functions === []) {
            $names = \implode(', ', Calls::NAMES);
            throw new \TypeError("$place is a function, or an object, a class's name or an array with functions of these names: $names");
        }
        foreach (Calls::NAMES as $number => $name) {
            $functions[$number] ??= static fn() => throw new UnavailableException("$place has no function $name");
        }
        return new self($functions);
    }
}
