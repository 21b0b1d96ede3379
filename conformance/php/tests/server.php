<?php

// PHP-FPM behind nginx at 1:pool, and at 2:core and 3:native where they were built: large bodies, requests that are ended in
// the middle of a call, and how the pool's program begins and ends. No request sees another's answer.

declare(strict_types=1);

require __DIR__ . '/../check.php';
require __DIR__ . '/../served.php';

foreach (array_slice(tiers(), 1) as $tier) {
    [$process, $port] = server(['TIERUP_TIER' => $tier]);
    same([200, $tier], asked($port, '/tier'));
    same([200, 'ä'], asked($port, '/echo?value=%C3%A4'));
    for ($number = 0; $number < 20; $number++) {
        same([200, 'x1'], asked($port, '/metrics?value=x'), 'calls of the requests before');
    }
    $large = random_bytes(16 << 20);
    same([200, hash('sha256', $large)], asked($port, '/body', $large), '16 MiB');

    // A request that was ended leaves an answer on its way, or half a request. Nobody else gets any of it.
    if ($tier === '1:pool') {
        foreach (['unmarked', 'unmarked-half', 'abandon', 'half'] as $way) {
            for ($round = 0; $round < 20; $round++) {
                same([200, 'abandoned'], asked($port, "/$way?value=$round"));
                // All children get some of these.
                for ($number = 0; $number < 10; $number++) {
                    [$status, $text] = asked($port, "/echo?value=own-$round-$number");
                    $isRefused = str_starts_with($way, 'unmarked') && $status === 500 && str_contains($text, 'another call');
                    holds($status === 200 && $text === "own-$round-$number" || $isRefused, "$way: $status $text");
                }
            }
            // Each child may have one such connection left.
            inParallel(8, function () use ($port): void {
                for ($number = 0; $number < 50; $number++) {
                    asked($port, '/echo?value=x');
                }
            });
        }
        eventually(fn() => asked($port, '/echo?value=x') === [200, 'x'], 'the server does not recover');
    }

    stopped($process);
}

// An endless call: the request gets its exception, and the worker ends.
[$process, $port] = server(['TIERUP_TIER' => '1:pool', 'TIERUP_CALL_TIMEOUT' => '0.5', 'TIERUP_WORKERS' => '2']);
$root = proc_get_status($process)['pid'];
for ($round = 0; $round < 3; $round++) {
    [$status, $text] = asked($port, '/hang');
    holds($status === 500 && str_contains($text, 'CallTimeoutException'), "$status $text");
}
same([200, 'x'], asked($port, '/echo?value=x'));
$programs = fn(): int => count(array_filter(descendants($root), fn($name) => $name === 'conformance'));
eventually(fn() => $programs() <= 3, 'endless calls go on');
stopped($process);

// Nobody started the pool: the first request does. Its program inherits nothing of the server's, and ends when idle.
[$process, $port] = server(['TIERUP_TIER' => '1:pool', 'OWN_POOL' => 'no', 'TIERUP_WORKERS' => '2']);
same([200, 'x'], asked($port, '/echo?value=x'));
$programs = fn(): array => array_filter(
    glob('/proc/[0-9]*'),
    fn($one) => str_contains((string) @file_get_contents("$one/cmdline"), "\0--tierup-background\0")
        && str_contains((string) @file_get_contents("$one/cmdline"), Conformance\Internal\Calls::ABI),
);
same(1, count($programs()), 'programs in the background');
$program = current($programs());
$sockets = fn(string $folder): array => array_filter(
    array_map(fn($file) => (string) @readlink($file), glob("$folder/fd/*") ?: []),
    fn($what) => str_starts_with($what, 'socket:'),
);
$root = proc_get_status($process)['pid'];
foreach ([$root, ...array_keys(descendants($root))] as $one) {
    same([], array_values(array_intersect($sockets($program), $sockets("/proc/$one"))), "sockets of the server's process $one");
}
stopped($process);
eventually(fn() => $programs() === [], 'the program does not end');
