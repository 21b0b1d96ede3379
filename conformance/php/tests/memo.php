<?php

// `0:memo` as PHP sees it: requests and processes share APCu. What all languages promise is in
// `crates/tierup/tests/conformance/memo.rs`.

declare(strict_types=1);

use Conformance\{Rust, UnavailableException};
use Conformance\Internal\Kept;

require __DIR__ . '/../check.php';
require __DIR__ . '/../served.php';

if (!function_exists('apcu_enabled') || !apcu_enabled()) {
    thrown(UnavailableException::class, fn() => Rust::with(baseline: ['echoText' => strtoupper(...)], tier: '0:memo'), 'APCu');
    exit(0);
}

/** At `0:memo` under these variables, with nothing kept. */
function memo(array $functions, array $variables = []): Rust
{
    apcu_clear_cache();
    foreach ($variables + ['TIERUP_MEMO_ENTRIES' => '', 'TIERUP_MEMO_BYTES' => '', 'TIERUP_MEMO_COUNTS' => ''] as $name => $value) {
        putenv("$name=$value");
    }
    return Rust::with(baseline: $functions, tier: '0:memo');
}

$called = [];
$echo = function (string $text) use (&$called): string {
    $called[] = $text;

    return strtoupper($text);
};

// A later request has another binding.
$functions = ['echoText' => $echo];
same(['A', 'A'], [memo($functions)->echoText('a'), Rust::with(baseline: $functions, tier: '0:memo')->echoText('a')]);
same(['a'], $called);

// Other functions have other answers.
same('a', Rust::with(baseline: ['echoText' => fn(string $text): string => $text], tier: '0:memo')->echoText('a'));

// An answer that does not fit the signature is not kept. Any bytes are.
$calls = 0;
$given = function (string $given) use (&$calls): string {
    $calls++;

    return "$given\xff";
};
$rust = memo(['echoBytes' => $given, 'echoText' => $given]);
same(["a\xff", "a\xff", 2], [$rust->echoText('a'), $rust->echoText('a'), $calls]);
same(["\0\xff", "\0\xff", 3], [$rust->echoBytes("\0"), $rust->echoBytes("\0"), $calls]);
// A call whose arguments Rust would refuse goes to the function each time.
same(["\xfe\xff", "\xfe\xff", 5], [$rust->echoText("\xfe"), $rust->echoText("\xfe"), $calls]);

// Nothing is left of removed answers, and the limits hold at each moment.
$kept = function (Rust $rust): Kept {
    $memo = (new ReflectionProperty($rust, 'variant'))->getValue($rust);

    return (new ReflectionProperty($memo, 'kept'))->getValue($memo);
};
$rust = memo(['echoText' => $echo], ['TIERUP_MEMO_ENTRIES' => '50']);
for ($number = 0; $number < 500; $number++) {
    $rust->echoText("$number");
}
same(50, $kept($rust)->size());
same(50, count(iterator_to_array(new APCUIterator('/:v0:|:v\d+:/', APC_ITER_KEY))));
$rust = memo(['echoText' => $echo], ['TIERUP_MEMO_BYTES' => '20000']);
for ($number = 0; $number < 200; $number++) {
    $rust->echoText(str_repeat('x', $number % 97 * 10) . $number);
    holds($kept($rust)->bytes() <= 20_000 && $kept($rust)->size() <= 33, 'bytes');
}
holds($kept($rust)->size() > 5, 'something is kept');

// The server's own entries in APCu stay, because tierup leaves enough of APCu's memory free.
$rust = memo(['echoBytes' => fn(string $bytes): string => strrev($bytes)], ['TIERUP_MEMO_ENTRIES' => '1000000', 'TIERUP_MEMO_BYTES' => '1000000000']);
apcu_store('the server', 'its own');
for ($number = 0; $number < 200; $number++) {
    $bytes = random_bytes(300_000);
    holds($rust->echoBytes($bytes) === strrev($bytes), 'an answer');
}
holds($kept($rust)->bytes() > apcu_sma_info(true)['seg_size'] / 4, 'much is kept');
// They also stay if they take a quarter of the memory, and answers of all sizes fragment the rest.
$quarter = (int) (apcu_sma_info(true)['seg_size'] / 4);
for ($number = 0; $number < $quarter / 4096; $number++) {
    apcu_store("the server $number", str_repeat('s', 4000));
}
mt_srand(1);
for ($number = 0; $number < 2000; $number++) {
    $length = match (true) {
        $number % 100 === 99 => mt_rand(1_000_000, 6_000_000),
        $number % 10 === 9 => mt_rand(10_000, 300_000),
        default => mt_rand(10, 5_000),
    };
    $bytes = str_pad("$number", $length, 'x', STR_PAD_LEFT);
    holds($rust->echoBytes($bytes) === strrev($bytes), 'an answer');
}
same('its own', apcu_fetch('the server'));
holds(apcu_sma_info(true)['avail_mem'] > apcu_sma_info(true)['seg_size'] / 2, 'more than half of the memory is free');
same('0', (string) apcu_cache_info(true)['expunges']);
holds($kept($rust)->size() > 0, 'something is kept');
holds($kept($rust)->bytes() < $quarter, 'the server needs a quarter');

// Processes share the cache, and a killed process leaves it correct.
$folder = sys_get_temp_dir() . '/tierup-php-counts-' . bin2hex(random_bytes(6));
mkdir($folder);
$rust = memo(['echoText' => fn(string $text): string => "$text!"], ['TIERUP_MEMO_ENTRIES' => '20', 'TIERUP_MEMO_COUNTS' => $folder]);
inParallel(4, function (int $seed) use ($rust): void {
    mt_srand($seed);
    for ($number = 0; $number < 3000; $number++) {
        $text = (string) mt_rand(0, 40);
        same("$text!", $rust->echoText($text));
    }
});
holds($kept($rust)->size() <= 20, 'entries');
same($kept($rust)->size(), count(iterator_to_array(new APCUIterator('/:v\d+:/', APC_ITER_KEY))));
usleep(110_000);
$rust->echoText('last');
$files = glob("$folder/*.counts");
same(1, count($files));
[$calls, $hits, $entries, $bytes] = array_map(intval(...), explode(' ', file_get_contents($files[0])));
same([12_001, 96], [$calls, filesize($files[0])]);
holds($hits > 1000 && $hits < 12_000 && $entries <= 20 && $bytes > 500 * $entries, "$hits $entries $bytes");
array_map(unlink(...), $files);
rmdir($folder);
$child = pcntl_fork();
if ($child === 0) {
    apcu_add($kept($rust)->beside('lock'), 1, 2);
    posix_kill(getmypid(), SIGKILL);
}
pcntl_waitpid($child, $status);
putenv('TIERUP_MEMO_COUNTS=');
$called = [];
$rust = Rust::with(baseline: ['echoText' => $echo], tier: '0:memo');
eventually(function () use ($rust, &$called): bool {
    $before = count($called);
    $rust->echoText('after');

    return count($called) === $before;
}, 'a killed process is in the way');
apcu_clear_cache();
