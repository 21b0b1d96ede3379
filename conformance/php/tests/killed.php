<?php

// PHP-FPM with eight children behind nginx, at 1:pool, 2:core and 3:native: panics, calls, large bodies, and then children and
// workers that are killed at random. Answers may be lost there, but none is wrong; nothing else ends, and memory stays flat.
//
// With TIERUP_LONG=1 it takes ten to twenty minutes: 10,000 panics, 100,000 calls, a minute of kills.

declare(strict_types=1);

require __DIR__ . '/../check.php';
require __DIR__ . '/../served.php';

const CLIENTS = 4;

[$payloads, $panics, $calls, $seconds] = getenv('TIERUP_LONG') === '1' ? [64, 10_000, 100_000, 60.0] : [24, 1_000, 2_000, 3.5];

/** A body of random bytes, and what the server answers to it. */
final readonly class Body
{
    public string $bytes;
    public string $hash;

    public function __construct(int $length)
    {
        $this->bytes = random_bytes($length);
        $this->hash = hash('sha256', $this->bytes);
    }
}

/** The processes of FPM and nginx, and the pool's program, which nobody kills here. */
function own(int $root): array
{
    $own = array_filter(array_map(intval(...), explode(' ', trim((string) @file_get_contents("/proc/$root/task/$root/children")))));
    sort($own);

    return $own;
}

/** The children of FPM, and the workers of the pool. */
function mortal(int $root): array
{
    $all = array_filter(descendants($root), fn($name) => $name === 'conformance' || str_starts_with($name, 'php-fpm'));

    return array_values(array_diff(array_keys($all), own($root)));
}

/** The memory in KiB that processes do not share with others. */
function privateMemory(array $processes): int
{
    $sum = 0;
    foreach ($processes as $process) {
        preg_match_all('/^Private_\w+:\s+(\d+) kB$/m', (string) @file_get_contents("/proc/$process/smaps_rollup"), $parts);
        $sum += array_sum($parts[1]);
    }
    return $sum;
}

/** Sends one of several requests. Returns whether an answer came, and throws if it is wrong. */
function askedAny(string $port, string $word, Body $large, int $number): bool
{
    [$target, $body, $expected] = match ($number % 20) {
        0 => ['/body', $large->bytes, [200, $large->hash]],
        1, 2 => ["/panic?value=$word", '', [500, "PanicException: $word, at "]],
        default => ["/echo?value=$word", '', [200, $word]],
    };
    [$status, $text] = asked($port, $target, $body);
    if ($status === $expected[0] && ($status === 200 ? $text === $expected[1] : str_contains($text, $expected[1]))) {
        return true;
    }
    $isLost = $status === 0 || $status >= 502 || $status === 500 && str_contains($text, 'TransportException');
    holds($isLost, "$target: $status " . substr($text, 0, 200));

    return false;
}

foreach (array_slice(tiers(), 1) as $tier) {
    [$process, $port] = server(['TIERUP_TIER' => $tier, 'TIERUP_WORKERS' => '8']);
    $root = proc_get_status($process)['pid'];
    [$large, $huge] = [new Body(1 << 20), new Body(16 << 20)];
    $began = microtime(true);

    // Every child has answered everything once, so that it has the memory that it needs.
    inParallel(8, function (int $client) use ($port, $huge, $large, $payloads): void {
        for ($number = 0; $number < $payloads / 8; $number++) {
            same([200, $huge->hash], asked($port, '/body', $huge->bytes), '16 MiB');
        }
        for ($number = 0; $number < 100; $number++) {
            holds(askedAny($port, "first-$client-$number", $large, $number), 'an answer is lost');
        }
    });
    $before = [own($root), mortal($root)];
    $memory = privateMemory($before[1]);
    inParallel(CLIENTS, function (int $client) use ($port, $panics, $calls, $large): void {
        for ($number = 0; $number < $panics / CLIENTS; $number++) {
            [$status, $text] = asked($port, "/panic?value=$client-$number");
            holds($status === 500 && str_contains($text, "PanicException: $client-$number, at "), "$status $text");
        }
        for ($number = 0; $number < $calls / CLIENTS; $number++) {
            holds(askedAny($port, "$client-$number", $large, $number), 'an answer is lost');
        }
    });
    same($before, [own($root), mortal($root)], 'the processes of the server');
    $grown = privateMemory($before[1]) - $memory;
    $calm = microtime(true) - $began;
    holds($grown < 32 << 10, "$tier: eight children keep $grown KiB");

    $killer = pcntl_fork();
    if ($killer === 0) {
        $killed = 0;
        for ($end = microtime(true) + $seconds; microtime(true) < $end; usleep(30_000)) {
            $all = mortal($root);
            if ($all !== []) {
                $killed += (int) posix_kill($all[array_rand($all)], SIGKILL);
            }
        }
        fwrite(STDERR, "$tier: $killed processes killed\n");
        posix_kill(getmypid(), SIGKILL);
    }
    inParallel(CLIENTS, function (int $client) use ($port, $killer, $large, $tier): void {
        $right = $lost = 0;
        for ($number = 0; lives($killer); $number++) {
            askedAny($port, "$client-$number", $large, $number) ? $right++ : $lost++;
        }
        fwrite(STDERR, "$tier, client $client: $right right answers, $lost lost, none wrong\n");
        holds($right > 0, "only $right right answers, $lost lost");
    });
    pcntl_waitpid($killer, $status);
    eventually(fn() => asked($port, '/echo?value=x') === [200, 'x'], 'the server does not recover');
    same($before[0], own($root), 'what nobody has killed');
    $workers = array_keys(array_filter(descendants($root), fn($name) => $name === 'conformance'));
    holds(count(array_diff($workers, own($root))) <= 8, 'workers of killed processes are left: ' . count($workers));
    $words = "%s: %d bodies of 16 MiB, %d panics and %d calls in %.0f s, all right; %d KiB more in eight children of %d KiB; %.1f s of kills\n";
    fprintf(STDERR, $words, $tier, $payloads, $panics, $calls, $calm, $grown, $memory, $seconds);
    stopped($process);
    foreach ($workers as $one) {
        eventually(fn() => !lives($one), 'a worker outlives its server');
    }
}
