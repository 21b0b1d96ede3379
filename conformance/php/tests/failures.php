<?php

// Failures as PHP sees them: memory, lost processes, forks, time-outs. What all languages promise is in
// `crates/tierup/tests/conformance/failures.rs`.

declare(strict_types=1);

use Conformance\{PanicException, Rust, TransportException};

require __DIR__ . '/../check.php';

// Memory stays flat: calls, errors and panics leave nothing behind.
foreach (array_slice(tiers(), 1) as $tier) {
    $rust = Rust::with(tier: $tier);
    $work = function (int $calls, int $panics) use ($rust): void {
        for ($number = 0; $number < $calls; $number++) {
            $rust->echoText("text $number");
        }
        for ($number = 0; $number < $panics; $number++) {
            try {
                $rust->panicWith("round $number");
            } catch (PanicException) {
            }
            try {
                $rust->panicIf(true, str_repeat('x', 1000));
            } catch (PanicException) {
            }
        }
        for ($number = 0; $number < $panics / 10; $number++) {
            $rust->makeBytes(1 << 20);
        }
    };
    $work(1_000, 200);
    [$memory, $own] = [resident(), memory_get_usage()];
    $tier !== '1:pool' && getenv('TIERUP_LONG') === '1' ? $work(100_000, 10_000) : $work(10_000, 1_000);
    holds(resident() - $memory < 8 << 10, "$tier keeps " . (resident() - $memory) . ' KiB');
    holds(memory_get_usage() - $own < 100_000, "$tier keeps " . (memory_get_usage() - $own) . ' bytes of PHP');
}

// One worker answers all calls, and a killed one is replaced.
$rust = Rust::with(tier: '1:pool');
$rust->ready();
same(1, count(children(getmypid())));
[$worker] = children(getmypid());
posix_kill($worker, SIGKILL);
eventually(fn() => children(getmypid()) === [], 'the worker does not end');
same('next', $rust->echoText('next'));
// A forked child has a worker of its own, and its end harms nobody. It ends as PHP does, with all destructors.
$before = (int) $rust->countCalls();
foreach ([1, 2, 3] as $number) {
    $child = pcntl_fork();
    if ($child === 0) {
        same(1, $rust->countCalls(), 'a forked child has a worker of its own');
        exit(0);
    }
    pcntl_waitpid($child, $status);
    same(0, pcntl_wexitstatus($status), 'a forked child');
    same($before + $number, $rust->countCalls(), 'the worker of the parent');
}

$rust->close();
eventually(fn() => children(getmypid()) === [], 'a closed pool leaves processes');

// A program that ends, or is killed, in the middle of a call leaves no process. A signal's handler may make calls of its own.
foreach (['1:spawn', '1:pool'] as $tier) {
    foreach (['exit', 'kill', 'call'] as $end) {
        $child = pcntl_fork();
        if ($child === 0) {
            $rust = Rust::with(tier: $tier);
            $rust->echoText('x');
            pcntl_async_signals(true);
            $handler = fn() => $end === 'call' ? exit($rust->echoText('inner') === 'inner' ? 0 : 1) : exit(0);
            pcntl_signal(SIGALRM, $handler);
            pcntl_alarm(1);
            $rust->hangOn('really');
            exit(2);
        }
        $all = [];
        eventually(function () use ($child, &$all, $tier): bool {
            $all = children($child);
            return $all !== [];
        }, 'no process is started');
        if ($end === 'kill') {
            usleep(200_000);
            $all = children($child);
            posix_kill($child, SIGKILL);
        } else {
            $all = children($child);
        }
        pcntl_waitpid($child, $status);
        holds($end === 'kill' || pcntl_wexitstatus($status) === 0, "$tier $end: status " . $status);
        eventually(fn() => array_filter($all, lives(...)) === [], "$tier $end leaves a process");
    }
}
