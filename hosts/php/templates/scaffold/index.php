<?php

// A small server: GET /slug?text=…

declare(strict_types=1);

use {{namespace}}\CallException;
use {{namespace}}\Rust;

// `tierup profile` needs this file, which PHP's built-in server skips because index.php is its router.
if (PHP_SAPI === 'cli-server' && !in_array(ini_get('auto_prepend_file'), ['', 'none'], true)) {
    require_once ini_get('auto_prepend_file');
}
require __DIR__ . '/../tierup/{{name}}/php/autoload.php';
require __DIR__ . '/baseline.php';

[$status, $text, $headers] = answer();
http_response_code($status);
header('Content-Type: text/plain; charset=utf-8');
header('Content-Length: ' . strlen($text));
array_map(header(...), $headers);
if ($_SERVER['REQUEST_METHOD'] !== 'HEAD') {
    echo $text;
}

/** @return array{int, string, list<string>} */
function answer(): array
{
    $path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    if (!in_array($path, ['/slug', '/livez', '/readyz'], true)) {
        return [404, 'not found', []];
    }
    if (!in_array($_SERVER['REQUEST_METHOD'], ['GET', 'HEAD'], true)) {
        return [405, 'method not allowed', ['Allow: GET, HEAD']];
    }
    try {
        // TIERUP_TIER decides how slugify runs: 0 is the baseline, 3:native an extension, …
        $rust = Rust::with(baseline: slugify(...));
        return match ($path) {
            '/slug' => slug($rust),
            '/livez' => [200, 'ok', []],
            '/readyz' => ready($rust),
        };
    } catch (Throwable $failure) {
        error_log((string) $failure);
        return [500, 'internal error', []];
    }
}

function slug(Rust $rust): array
{
    $text = $_GET['text'] ?? '';
    if (!is_string($text) || $text === '') {
        return [400, 'query parameter "text" is missing', []];
    }
    if (preg_match('//u', $text) !== 1) {
        return [400, 'query parameter "text" is not UTF-8', []];
    }
    try {
        return [200, $rust->slugify($text), []];
    } catch (CallException | SlugException $failure) {
        // The function's own error is for the caller. The message of any other exception may be private.
        return [400, $failure->getMessage(), []];
    }
}

function ready(Rust $rust): array
{
    try {
        $rust->checkHealth();
    } catch (Throwable $failure) {
        error_log("not ready: $failure");
        return [503, 'not ready', []];
    }
    return [200, 'ok', []];
}
