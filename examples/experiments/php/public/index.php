<?php

// What the server answers. It knows nothing of processes and ports.

declare(strict_types=1);

use Experiments\{OutcomeInvalid, OutcomeMalformed, OutcomeValid, Rust};

require __DIR__ . '/../../.tierup/php/autoload.php';
require __DIR__ . '/../src/query.php';

const LARGEST = 64 * 1024;
const STATUS = [OutcomeValid::class => 200, OutcomeMalformed::class => 400, OutcomeInvalid::class => 422];

[$status, $type, $content] = answer();
http_response_code($status);
header("Content-Type: $type");
header('Content-Length: ' . strlen($content));
if ($status === 405) {
    header('Allow: POST');
}
if ($_SERVER['REQUEST_METHOD'] !== 'HEAD') {
    echo $content;
}

/** @return array{int, string, string} */
function answer(): array
{
    [$path, $query] = explode('?', $_SERVER['REQUEST_URI'], 2) + [1 => ''];
    $reads = in_array($_SERVER['REQUEST_METHOD'], ['GET', 'HEAD'], true);
    try {
        return match (true) {
            $path === '/experiments' && $_SERVER['REQUEST_METHOD'] === 'POST' => create($query),
            $path === '/experiments' => problem(405, '', 'only POST is answered here'),
            $path === '/livez' && $reads => text(200, 'ok'),
            $path === '/readyz' && $reads => ready(),
            default => problem(404, '', 'there is nothing here'),
        };
    } catch (Throwable $failure) {
        error_log((string) $failure);
        return problem(500, '', 'the server failed');
    }
}

function create(string $query): array
{
    $hasBody = ($_SERVER['CONTENT_LENGTH'] ?? '') !== '';
    if ($hasBody && !in_array(strtolower($_SERVER['HTTP_CONTENT_ENCODING'] ?? ''), ['', 'identity'], true)) {
        return problem(415, '', 'a compressed body is not read');
    }
    // nginx has not read it then.
    $body = isset($_SERVER['BODY_IS_TOO_LARGE']) ? null : file_get_contents('php://input', length: LARGEST + 1);
    if ($body === null || strlen($body) > LARGEST) {
        return problem(413, '', 'the body is larger than 64 KiB');
    }
    try {
        $set = getenv('EXPERIMENTS_NOW');
        $now = wants_fingerprint($query) ? ($set === false || $set === '' ? time() : (int) $set) : null;
    } catch (WrongQuery $failure) {
        return problem(400, '?fingerprint', $failure->getMessage());
    }
    $outcome = rust()->createExperiment($body, $now);

    return [STATUS[$outcome::class], 'application/json', $outcome->value];
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

/** TIERUP_TIER decides what runs; the function of old is loaded only where it is called. */
function rust(): Rust
{
    return Rust::with(baseline: static function (string $body, int|string|null $fingerprintAt): Experiments\Outcome {
        require_once __DIR__ . '/../src/create_experiment.php';
        return create_experiment($body, $fingerprintAt);
    });
}

function problem(int $status, string $path, string $message): array
{
    $errors = ['errors' => [['path' => $path, 'message' => $message]]];

    return [$status, 'application/json', json_encode($errors, JSON_UNESCAPED_SLASHES)];
}

function text(int $status, string $words): array
{
    return [$status, 'text/plain; charset=utf-8', $words];
}
