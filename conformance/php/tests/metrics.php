<?php

// `metrics()`: what runs and why, and what became of the calls of one binding.

declare(strict_types=1);

use Conformance\{CallException, Internal\Calls, PanicException, Rust, UnavailableException};

require __DIR__ . '/../check.php';

/** What `metrics()` returns: `$counts` are those that are not 0. */
function told(string $tier, string $asked, string $instead, array $counts): array
{
    $said = ['package' => 'conformance', 'tier' => $tier, 'asked' => $asked, 'abi' => Calls::ABI, 'instead' => $instead];

    return [...$said, 'calls' => 0, 'errors' => 0, 'panics' => 0, 'timeouts' => 0, 'lost' => 0, ...$counts];
}

foreach (tiers() as $tier) {
    $rust = Rust::with(tier: $tier);
    same(told($tier, $tier, '', []), $rust->metrics(), $tier);
    foreach (['a', 'b'] as $text) {
        $rust->echoText($text);
    }
    $rust->echoU8(1);
    thrown(CallException::class, fn() => $rust->fail('x'));
    thrown(PanicException::class, fn() => $rust->panicWith('x'));
    thrown(PanicException::class, fn() => $rust->item([1, 2], 7));
    thrown(ValueError::class, fn() => $rust->echoText("\xff"));
    thrown(ValueError::class, fn() => $rust->echoU8(300));
    // PHP itself checks the declared type, so the package does not see this call.
    thrown(TypeError::class, fn() => $rust->echoText(1));
    same(told($tier, $tier, '', ['calls' => 8, 'errors' => 1, 'panics' => 2]), $rust->metrics(), $tier);
    same(told($tier, $tier, '', []), Rust::with(tier: $tier)->metrics(), "another binding at $tier");
    $rust->close();
    same(8, $rust->metrics()['calls'], "$tier, closed");
}

// Whatever your own code throws is its error.
$own = [
    'echoText' => strtoupper(...),
    'fail' => fn(string $words) => throw new LogicException($words),
    'echoU8' => fn(int $value): int => throw new TypeError('mine'),
];
foreach (['0', '0:free', ...(function_exists('apcu_enabled') && apcu_enabled() ? ['0:memo'] : [])] as $tier) {
    $rust = Rust::with(baseline: $own, tier: $tier);
    foreach (['a', 'b', 'c'] as $text) {
        $rust->echoText($text);
    }
    thrown(LogicException::class, fn() => $rust->fail('x'));
    thrown(TypeError::class, fn() => $rust->echoU8(1), 'mine');
    // The baseline has no such function.
    thrown(UnavailableException::class, fn() => $rust->echoI8(1));
    same(told($tier, $tier, '', ['calls' => 6, 'errors' => 2]), $rust->metrics(), $tier);
}

// If nothing is built, or PHP has not loaded the extension, tier 0 runs, and the package says so once.
$folder = sys_get_temp_dir() . '/tierup-conformance-metrics-' . getmypid();
mkdir("$folder/artifacts", recursive: true);
touch("$folder/artifacts/native.so");
register_shutdown_function(static fn() => exec('rm -rf ' . escapeshellarg($folder)));
exec('cp -r ' . escapeshellarg(__DIR__ . '/../../.tierup/php/src') . ' ' . escapeshellarg(__DIR__ . '/../../.tierup/php/autoload.php') . " $folder");
$script = 'require "autoload.php"; $bind = fn($tier) => Conformance\Rust::with(["echoText" => fn($text) => $text], tier: $tier)->metrics();'
    . '$bind(null); $told = $bind(null); echo "$told[tier] $told[asked] $told[instead]\n", $bind("0")["instead"];';
$abi = Calls::ABI;
$built = "{ \"abi\": \"$abi\", \"variants\": { \"3:native\": { \"built\": true } } }";
foreach (['' => 'no variant is built here', $built => '3:native: PHP has not loaded its extension'] as $record => $words) {
    $record === '' || file_put_contents("$folder/built.json", $record);
    $process = proc_open([PHP_BINARY, '-n', '-r', $script], [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes, $folder);
    [$out, $errors] = [stream_get_contents($pipes[1]), stream_get_contents($pipes[2])];
    same(0, proc_close($process), $errors);
    holds(str_starts_with($errors, "conformance: your own code runs, at tier 0, as $words"), $errors);
    same("0  $errors", $out, 'what is told, and said once');
}
