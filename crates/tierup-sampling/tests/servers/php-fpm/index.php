<?php

// `/` spins long in one function and briefly in another, after a wait that uses no CPU.

declare(strict_types=1);

final class Cart
{
    public static function long(): int
    {
        return spun(8_000_000);
    }

    public static function short(): int
    {
        return spun(1_000_000);
    }
}

function spun(int $count): int
{
    $total = 0;
    for ($number = 0; $number < $count; $number++) {
        $total += $number * $number & 0xff;
    }
    return $total;
}

function pause(): void
{
    usleep(20_000);
}

pause();
$total = Cart::long() + Cart::short();
header('Content-Length: 4');
echo 'done';
