<?php

// The user's own functions, and the clock that measures them.

declare(strict_types=1);

function light(): int
{
    $total = 1;
    for ($number = 0; $number < 400_000; $number++) {
        $total = ($total * 1_664_525 + $number) & 0xFFFFFFFF;
    }
    return $total;
}

function awaited(): int
{
    $total = 2;
    for ($part = 0; $part < 4; $part++) {
        for ($number = 0; $number < 200_000; $number++) {
            $total = ($total * 22_695_477 + $number) & 0xFFFFFFFF;
        }
        Fiber::suspend();
    }
    return $total;
}

function in_worker(): int
{
    $total = 3;
    for ($number = 0; $number < 1_200_000; $number++) {
        $total = ($total * 214_013 + $number) & 0xFFFFFFFF;
    }
    return $total;
}

function small(): int
{
    $total = 4;
    for ($number = 0; $number < 200_000; $number++) {
        $total = ($total * 69_069 + $number) & 0xFFFFFFFF;
    }
    return $total;
}

function native(string $text): int
{
    return strlen(gzdeflate($text, 6));
}

/** This process's CPU, in microseconds. */
function cpu(): int
{
    $used = getrusage();

    return 1_000_000 * ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
}

/** What a call takes of this process's CPU, in microseconds; 0 in a request that is not measured. */
function spent(bool $isMeasured, Closure $call): int
{
    $before = $isMeasured ? cpu() : 0;
    $call();

    return $isMeasured ? cpu() - $before : 0;
}
