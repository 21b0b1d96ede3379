<?php

// Tier 0:tuned: what there was to gain without leaving PHP. bacon-qr-code still chooses the modules; the picture is written
// here, with one bit per pixel, and without drawing.

declare(strict_types=1);

use BaconQrCode\Common\ErrorCorrectionLevel;
use BaconQrCode\Encoder\Encoder;

require_once __DIR__ . '/bacon.php';

/** A PNG of 200 x 200 pixels. */
function generate_qr_code_tuned(string $text): string
{
    if ($text === '') {
        throw new InvalidArgumentException('there is no text to encode');
    }
    $modules = Encoder::encode($text, ErrorCorrectionLevel::L(), 'UTF-8')->getMatrix();
    [$pixels, $quiet, $size] = [200, 4, $modules->getWidth()];
    // As large as whole pixels per module allow, in the middle of a white square.
    $scale = intdiv($pixels, $size + 2 * $quiet);
    $margin = intdiv($pixels - $size * $scale, 2);
    $below = $pixels - $margin - $size * $scale;
    // Each row begins with its filter: as it is, or the same as the one above.
    $white = "\0" . str_repeat("\xff", $pixels / 8);
    $same = "\2" . str_repeat("\0", $pixels / 8);
    [$dark, $light] = [str_repeat('0', $scale), str_repeat('1', $scale)];
    $rows = $white . str_repeat($same, $margin - 1);
    foreach ($modules->getArray() as $row) {
        $bits = str_repeat('1', $margin);
        foreach ($row as $module) {
            $bits .= $module === 1 ? $dark : $light;
        }
        $bits .= str_repeat('1', $below);
        $rows .= "\0" . pack('C*', ...array_map(bindec(...), str_split($bits, 8))) . str_repeat($same, $scale - 1);
    }
    $rows .= $white . str_repeat($same, $below - 1);

    return "\x89PNG\r\n\x1a\n" . chunk('IHDR', pack('NNCCCCC', $pixels, $pixels, 1, 0, 0, 0, 0))
        . chunk('IDAT', zlib_encode($rows, ZLIB_ENCODING_DEFLATE, 9)) . chunk('IEND', '');
}

function chunk(string $name, string $content): string
{
    return pack('N', strlen($content)) . $name . $content . pack('N', crc32($name . $content));
}
