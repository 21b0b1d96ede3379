<?php

// Tier 0: how the server checked experiments before there was any Rust.

declare(strict_types=1);

use Experiments\{Outcome, OutcomeInvalid, OutcomeMalformed, OutcomeValid};

require_once __DIR__ . '/number_json.php';
require_once __DIR__ . '/read_json.php';

/** A body of 64 KiB has room for thousands of errors. */
const MOST_ERRORS = 100;

/** `33.3 + 33.3 + 33.4` is not quite 100. */
const TOLERANCE = 1e-6;

/** The experiment that is in `$body`, or what is wrong with it. `$fingerprintAt` is in seconds since 1970. */
function create_experiment(string $body, int|string|null $fingerprintAt = null): Outcome
{
    try {
        $experiment = read_json($body);
    } catch (MalformedBody $failure) {
        return new OutcomeMalformed(errors_json([['', $failure->getMessage()]]));
    }
    $errors = problems($experiment);
    if ($errors !== []) {
        return new OutcomeInvalid(errors_json(array_slice($errors, 0, MOST_ERRORS)));
    }
    $name = $experiment->name;
    if ($fingerprintAt !== null) {
        $name = md5("$name-$fingerprintAt");
    }
    $variants = array_map(
        fn($variant) => '{"name":' . text_json($variant->name) . ',"allocation_percent":'
            . number_json((float) $variant->allocation_percent) . '}',
        $experiment->variants,
    );
    return new OutcomeValid('{"name":' . text_json($name) . ',"variants":[' . implode(',', $variants) . ']}');
}

/** @return list<array{string, string}> paths and messages, in the order of the experiment */
function problems(mixed $experiment): array
{
    if (!$experiment instanceof stdClass) {
        return [['', 'must be an object']];
    }
    $problem = problem_of_name($experiment);
    $errors = $problem === null ? [] : [['name', $problem]];
    if (!property_exists($experiment, 'variants')) {
        $errors[] = ['variants', 'is missing'];
    } elseif (!is_array($experiment->variants)) {
        $errors[] = ['variants', 'must be a list'];
    } elseif ($experiment->variants === []) {
        $errors[] = ['variants', 'must not be empty'];
    } else {
        add_problems_of_variants($experiment->variants, $errors);
    }
    return $errors;
}

function add_problems_of_variants(array $variants, array &$errors): void
{
    $places = [];
    $sum = 0.0; // NAN once a share is none
    foreach ($variants as $place => $variant) {
        if (count($errors) >= MOST_ERRORS) {
            return;
        }
        $path = "variants[$place]";
        if (!$variant instanceof stdClass) {
            $errors[] = [$path, 'must be an object'];
            $sum = NAN;
            continue;
        }
        $problem = problem_of_name($variant);
        if ($problem === null) {
            $first = $places[$variant->name] ??= $place;
            $problem = $first === $place ? null : "is the name of variants[$first] too";
        }
        if ($problem !== null) {
            $errors[] = ["$path.name", $problem];
        }
        $problem = problem_of_share($variant);
        if ($problem !== null) {
            $errors[] = ["$path.allocation_percent", $problem];
        }
        $sum += $problem === null ? $variant->allocation_percent : NAN;
    }
    if (abs($sum - 100) > TOLERANCE) {
        $errors[] = ['variants', 'the shares are ' . number_json($sum) . ' in all, not 100'];
    }
}

function problem_of_name(stdClass $owner): ?string
{
    return match (true) {
        !property_exists($owner, 'name') => 'is missing',
        !is_string($owner->name) => 'must be text',
        $owner->name === '' || characters($owner->name) > 200 => 'must have 1 to 200 characters',
        default => null,
    };
}

/** All bytes of a text but those that go on with a character. A short text cannot have too many. */
function characters(string $text): int
{
    return strlen($text) <= 200 ? strlen($text) : strlen(preg_replace('/[\x80-\xbf]++/', '', $text));
}

function problem_of_share(stdClass $variant): ?string
{
    $share = $variant->allocation_percent ?? null;

    return match (true) {
        !property_exists($variant, 'allocation_percent') => 'is missing',
        !is_int($share) && !is_float($share) => 'must be a number',
        $share < 0 || $share > 100 => 'must be from 0 to 100',
        default => null,
    };
}

/** @param list<array{string, string}> $errors */
function errors_json(array $errors): string
{
    $all = array_map(fn($error) => ['path' => $error[0], 'message' => $error[1]], $errors);

    return json_encode(['errors' => $all], JSON_UNESCAPED_SLASHES);
}

function text_json(string $text): string
{
    return json_encode($text, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS);
}
