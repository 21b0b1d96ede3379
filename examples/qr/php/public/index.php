<?php

// What the server answers. It knows nothing of processes and ports.

declare(strict_types=1);

use Qr\Rust;

require __DIR__ . '/../../.tierup/php/autoload.php';
require __DIR__ . '/../src/query.php';

const MAX_BYTES = 512;

[$status, $type, $body] = answer();
http_response_code($status);
header("Content-Type: $type");
header('Content-Length: ' . strlen($body));
if ($status === 405) {
    header('Allow: GET, HEAD');
}
if ($_SERVER['REQUEST_METHOD'] !== 'HEAD') {
    echo $body;
}

/** @return array{int, string, string} */
function answer(): array
{
    [$path, $query] = explode('?', $_SERVER['REQUEST_URI'], 2) + [1 => ''];
    if (!in_array($path, ['/qrcode', '/livez', '/readyz'], true)) {
        return text(404, 'not found');
    }
    if (!in_array($_SERVER['REQUEST_METHOD'], ['GET', 'HEAD'], true)) {
        return text(405, 'method not allowed');
    }
    try {
        return match ($path) {
            '/qrcode' => qrcode($query),
            '/livez' => text(200, 'ok'),
            '/readyz' => ready(),
        };
    } catch (Throwable $failure) {
        error_log((string) $failure);
        return text(500, 'failed to generate the QR code');
    }
}

function qrcode(string $query): array
{
    try {
        $texts = values_of($query, 'text');
    } catch (MalformedQuery $failure) {
        return text(400, $failure->getMessage());
    }
    if (count($texts) !== 1 || $texts[0] === '') {
        return text(400, 'missing "text" query param');
    }
    if (strlen($texts[0]) > MAX_BYTES) {
        return text(400, 'text must be <= ' . MAX_BYTES . ' bytes');
    }
    return [200, 'image/png', rust()->generateQrCode($texts[0])];
}

function ready(): array
{
    try {
        rust()->checkHealth();
    } catch (Throwable $failure) {
        return text(503, $failure->getMessage());
    }
    return text(200, 'ok');
}

/** TIERUP_TIER decides what runs; the functions of old are loaded only where they are called. */
function rust(): Rust
{
    $own = static function (string $text): string {
        require_once __DIR__ . '/../src/generate_qr.php';
        return generate_qr_code($text);
    };
    $tuned = static function (string $text): string {
        require_once __DIR__ . '/../src/generate_qr_tuned.php';
        return generate_qr_code_tuned($text);
    };
    return Rust::with(baseline: $own, baselines: ['tuned' => $tuned]);
}

function text(int $status, string $words): array
{
    return [$status, 'text/plain; charset=utf-8', $words];
}
