<?php

// `/` spins in a function, and also waits without using CPU.

declare(strict_types=1);

final class Cart
{
    public static function spin(): int
    {
        $total = 0;
        for ($number = 0; $number < 4_000_000; $number++) {
            $total += $number * $number & 0xff;
        }
        return $total;
    }
}

function pause(): void
{
    usleep(20_000);
}

Cart::spin();
pause();
header('Content-Length: 2');
header('X-Own: ' . OWN_FILE);
echo 'ok';
