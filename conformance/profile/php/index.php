<?php

// Five functions of known cost. Each request runs all of them. `awaited` runs in a fiber that is resumed four times, `in_worker` in
// another PHP server, which is asked over HTTP as a PHP script has no threads, and waited for, as is usual in PHP. `native` is zlib's C
// code.
//
// The server measures its functions itself, and appends to the file TRUTH: milliseconds since 1970, CPU of both servers, and CPU of each
// function, all in microseconds since the start. Only every eighth request is measured, and counts eight times: reading the clock
// enters the kernel, and on a busy machine samples pile up there.

declare(strict_types=1);

require __DIR__ . '/own.php';

const EVERY = 8;
// Of the run's copy of this folder: PHP keeps nothing from one request to the next.
const STATE = __DIR__ . '/state';

[$requests, $light, $awaited, $inWorker, $small, $native] = is_file(STATE)
    ? array_values(unpack('P6', file_get_contents(STATE)))
    : [0, 0, 0, 0, 0, 0];
$isMeasured = $requests % EVERY === 0;
$requests++;

$light += EVERY * spent($isMeasured, light(...));
$small += EVERY * spent($isMeasured, small(...));
$text = file_get_contents(__DIR__ . '/text');
$native += EVERY * spent($isMeasured, fn() => native($text));
$awaited += EVERY * spent($isMeasured, function (): void {
    for ($fiber = new Fiber(awaited(...)), $fiber->start(); !$fiber->isTerminated(); $fiber->resume()) {
    }
});

$answer = file_get_contents('http://127.0.0.1:' . getenv('WORKER') . '/work.php' . ($isMeasured ? '?measured' : ''));
[$function, $process] = explode(' ', $answer);
$inWorker += EVERY * (int) $function;
file_put_contents(STATE, pack('P6', $requests, $light, $awaited, $inWorker, $small, $native));
if ($isMeasured && getenv('TRUTH') !== false) {
    $numbers = [(int) (1e3 * microtime(true)), cpu() + (int) $process, $light, $awaited, $inWorker, $small, $native];
    file_put_contents(getenv('TRUTH'), implode(' ', $numbers) . "\n", FILE_APPEND);
}
header('Content-Length: 4');
echo 'done';
