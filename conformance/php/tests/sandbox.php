<?php

// 2:core is a sandbox: an endless loop, a stack overflow and a call that wants too much memory are exceptions, in a program, in
// a process that is forked after the extension was loaded and after it was called, and in PHP-FPM.

declare(strict_types=1);

use Conformance\{CallTimeoutException, PanicException, Rust, UnavailableException};

require __DIR__ . '/../check.php';
require __DIR__ . '/../served.php';

if (!in_array('2:core', tiers(), true)) {
    throw new RuntimeException('this needs core.so, which was not built');
}

/** Runs `work` in a forked child, which must succeed. */
function inChild(callable $work): void
{
    inParallel(1, $work);
}

/** Without TIERUP_CALL_TIMEOUT, the module does not check the time, and a call that wants too much memory throws. */
function isBounded(): void
{
    $rust = Rust::with(tier: '2:core');
    for ($round = 0; $round < 3; $round++) {
        thrown(PanicException::class, fn() => $rust->hangOn('deeply'));
        $large = str_repeat('x', 40 << 20);
        thrown(PanicException::class, fn() => $rust->echoBytes($large), 'more than 64 MiB of memory (TIERUP_CALL_MEMORY)');
        same("round $round", $rust->echoText("round $round"));
    }
}

function isEnded(): void
{
    $rust = Rust::with(tier: '2:core');
    thrown(PanicException::class, fn() => $rust->hangOn('deeply'));
    thrown(CallTimeoutException::class, fn() => $rust->hangOn('really'), 'took longer than 2 s (TIERUP_CALL_TIMEOUT)');
    same('next', $rust->echoText('next'));
}

// A process reads the limits at its first call, so other limits need another process.
inChild(function (): void {
    putenv('TIERUP_CALL_TIMEOUT=never');
    thrown(UnavailableException::class, fn() => Rust::with(tier: '2:core'), 'TIERUP_CALL_TIMEOUT must be a number of seconds');
});
putenv('TIERUP_CALL_MEMORY=64');
inChild(isBounded(...));
putenv('TIERUP_CALL_MEMORY');
putenv('TIERUP_CALL_TIMEOUT=2');
inChild(isEnded(...));
isEnded();
inChild(isEnded(...));

// Without the sandbox, at 3:native, a stack overflow ends the process, here before it prints `next`.
$script = 'require "' . __DIR__ . '/../../.tierup/php/autoload.php"; Conformance\Rust::with(tier: "3:native")->hangOn("deeply"); echo "next";';
$native = realpath(__DIR__ . '/../../.tierup/php/artifacts/native.so');
$command = ['sh', '-c', 'ulimit -c 0; "$@"; echo $?', 'sh', PHP_BINARY, '-d', "extension=$native", '-r', $script];
$said = stream_get_contents(popen(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>/dev/null', 'r'));
same((string) (128 + SIGSEGV), trim($said), 'the status of a process whose stack overflowed');

// An alarm during a call is handled by PHP after the call.
pcntl_async_signals(true);
$isHandled = false;
pcntl_signal(SIGALRM, function () use (&$isHandled): void {
    $isHandled = true;
    same('inner', Rust::with(tier: '2:core')->echoText('inner'));
});
pcntl_alarm(1);
while (!$isHandled) {
    thrown(CallTimeoutException::class, fn() => Rust::with(tier: '2:core')->hangOn('really'));
}

// In PHP-FPM, the parent process loads the extension, and its children make the calls.
[$process, $port] = server(['TIERUP_TIER' => '2:core', 'TIERUP_WORKERS' => '2']);
$root = proc_get_status($process)['pid'];
$before = array_keys(descendants($root));
for ($round = 0; $round < 2; $round++) {
    [$status, $text] = asked($port, '/deep');
    holds($status === 500 && str_contains($text, 'PanicException'), "$status $text");
    [$status, $text] = asked($port, '/hang');
    holds($status === 500 && str_contains($text, 'CallTimeoutException'), "$status $text");
    same([200, "x$round"], asked($port, "/echo?value=x$round"));
}
same($before, array_keys(descendants($root)), 'the processes of the server');
stopped($process);
