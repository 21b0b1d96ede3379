<?php

// Tier 0: how the server made its QR codes before there was any Rust.

declare(strict_types=1);

use BaconQrCode\Renderer\Image\ImagickImageBackEnd;
use BaconQrCode\Renderer\ImageRenderer;
use BaconQrCode\Renderer\RendererStyle\RendererStyle;
use BaconQrCode\Writer;

require_once __DIR__ . '/bacon.php';

/** A PNG of 200 x 200 pixels. */
function generate_qr_code(string $text): string
{
    if ($text === '') {
        throw new InvalidArgumentException('there is no text to encode');
    }
    $writer = new Writer(new ImageRenderer(new RendererStyle(200, 4), new ImagickImageBackEnd('png')));

    return without_dates($writer->writeString($text, 'UTF-8'));
}

/** Imagick notes when the picture was made, so that equal texts would not give equal bytes. */
function without_dates(string $png): string
{
    $kept = substr($png, 0, 8);
    for ($at = 8; $at < strlen($png); $at += $length) {
        $length = 12 + unpack('N', $png, $at)[1];
        if (!in_array(substr($png, $at + 4, 4), ['tEXt', 'tIME'], true)) {
            $kept .= substr($png, $at, $length);
        }
    }
    return $kept;
}
