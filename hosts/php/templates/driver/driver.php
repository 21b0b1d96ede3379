<?php

// Made by tierup from tierup.toml; changes here are lost at the next build.
//
// Makes calls on request (docs/driver.md): file descriptor 3 carries requests, 4 answers. Calls use the package's
// public methods, so they take the same path as a server's calls.

declare(strict_types=1);

use {{namespace}}\CallException;
use {{namespace}}\Internal\Calls;
use {{namespace}}\Internal\Mismatch;
use {{namespace}}\Internal\Reader;
use {{namespace}}\PanicException;
use {{namespace}}\Rust;
use {{namespace}}\UnavailableException;

// The project's own limit is for its server.
ini_set('memory_limit', '-1');
require __DIR__ . '/../autoload.php';
require __DIR__ . '/baseline.php';

const FOLDER = {{folder}};

/** The server's own functions by label. The one without a label is tier 0. */
const BASELINES = [{{baselines}}];

const OK = 0;
const ERROR = 1;
const PANIC = 2;
const REFUSED = 3;
const LOST = 4;

if (is_file(FOLDER . '/vendor/autoload.php')) {
    require FOLDER . '/vendor/autoload.php';
}

$requests = fopen('php://fd/3', 'rb');
$answers = fopen('php://fd/4', 'wb');
if ($requests === false || $answers === false) {
    exit(1);
}
/** @var array<string, Rust> $bindings the package at each tier requested so far */
$bindings = [];
while (($header = tierup_read($requests, 4)) !== null) {
    $request = tierup_read($requests, unpack('V', $header)[1]);
    if ($request === null) {
        break;
    }
    $answer = tierup_frame($bindings, $request);
    for ($at = 0; $at < strlen($answer); $at += $count) {
        $count = fwrite($answers, substr($answer, $at));
        if ($count === false || $count === 0) {
            exit(1);
        }
    }
}

function tierup_frame(array &$bindings, string $request): string
{
    [$outcome, $nanoseconds, $content] = tierup_answer($bindings, $request);

    return pack('VCPV', 13 + strlen($content), $outcome, $nanoseconds, strlen($content)) . $content;
}

function tierup_answer(array &$bindings, string $request): array
{
    $from = new Reader($request);
    [$row, $number, $repeat, $encoded] = [$from->text(), $from->u32(), $from->u32(), $from->bytes()];
    try {
        if ($row === 'together') {
            return [OK, 0, tierup_together($bindings, new Reader($encoded))];
        }
        if (str_starts_with($row, 'close ')) {
            return [OK, 0, tierup_close($bindings, substr($row, strlen('close ')))];
        }
        $rust = $bindings[$row] ??= tierup_binding($row);
        $arguments = Calls::{"readArguments$number"}(new Reader($encoded));
    } catch (Throwable $failure) {
        return [LOST, 0, $failure->getMessage()];
    }
    $function = $rust->{Calls::NAMES[$number]}(...);
    $value = null;
    $start = hrtime(true);
    try {
        for ($left = $repeat; $left > 0; $left--) {
            $value = $function(...$arguments);
        }
        $nanoseconds = hrtime(true) - $start;
    } catch (Throwable $failure) {
        return [tierup_outcome($row, $failure), 0, tierup_utf8($failure->getMessage())];
    }
    try {
        return [OK, $nanoseconds, Calls::{"output$number"}($value)];
    } catch (Mismatch $mismatch) {
        // Only a baseline can return a value that does not fit the signature.
        return [LOST, 0, $mismatch->refusal('answer')->getMessage()];
    }
}

/** The answers to several requests. PHP makes one call after the other. */
function tierup_together(array &$bindings, Reader $requests): string
{
    $answers = '';
    for ($left = $requests->u32(); $left > 0; $left--) {
        $answers .= tierup_frame($bindings, $requests->bytes());
    }
    return $answers;
}

/** Closes a row's binding, and returns its metrics. */
function tierup_close(array &$bindings, string $row): string
{
    $rust = $bindings[$row] ??= tierup_binding($row);
    $rust->close();
    $metrics = $rust->metrics();

    return implode('', array_map(fn($name, $value) => "$name=$value\n", array_keys($metrics), $metrics));
}

function tierup_binding(string $row): Rust
{
    $isBaseline = $row === '0' || str_starts_with($row, '0:');
    $given = [];
    if ($isBaseline) {
        // 0:free and 0:memo wrap the function of tier 0.
        $label = in_array($row, ['0:free', '0:memo'], true) ? '' : substr($row, 2);
        if (isset(BASELINES[$label])) {
            $baseline = tierup_baseline(FOLDER, BASELINES[$label]);
            $given = $label === '' ? ['baseline' => $baseline] : ['baselines' => [$label => $baseline]];
        }
    }
    $rust = Rust::with(...$given, tier: $row);
    // The start must not count as part of a call.
    $rust->ready();

    return $rust;
}

function tierup_outcome(string $row, Throwable $failure): int
{
    return match (true) {
        $failure instanceof UnavailableException => LOST,
        // Any other exception of a baseline is its own error.
        str_starts_with($row, '0'), $failure instanceof CallException => ERROR,
        $failure instanceof PanicException => PANIC,
        $failure instanceof TypeError, $failure instanceof ValueError => REFUSED,
        default => LOST,
    };
}

/** A message in UTF-8. If it is not, all but printable ASCII becomes `?`. */
function tierup_utf8(string $text): string
{
    return preg_match('//u', $text) === 1 ? $text : preg_replace('/[^\x20-\x7e]/', '?', $text);
}

/** The next bytes of the requests; null at their end. */
function tierup_read($requests, int $length): ?string
{
    $bytes = '';
    while (strlen($bytes) < $length) {
        $part = fread($requests, $length - strlen($bytes));
        if ($part === false || $part === '') {
            return null;
        }
        $bytes .= $part;
    }
    return $bytes;
}
