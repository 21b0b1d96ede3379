<?php

declare(strict_types=1);

/**
 * A number from 0 to some millions as JavaScript writes it: the shortest digits that read back as the same, and an exponent
 * only below 0.000001. PHP writes 1.0e-5.
 */
function number_json(float $number): string
{
    $digits = json_encode($number);
    if (preg_match('/\A(\d)\.(\d+)e-(\d+)\z/', $digits, $parts) !== 1) {
        return $digits === '-0.0' || $digits === '-0' ? '0' : $digits;
    }
    [, $first, $rest, $exponent] = $parts;
    $rest = $rest === '0' ? '' : $rest;
    if ($exponent <= 6) {
        return '0.' . str_repeat('0', $exponent - 1) . $first . $rest;
    }
    return $first . ($rest === '' ? '' : ".$rest") . "e-$exponent";
}
