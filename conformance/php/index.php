<?php

// The server that the tests ask. Every answer contains something of its request, so that a wrong one shows.

declare(strict_types=1);

use Conformance\Internal\Connection;
use Conformance\Internal\Calls;
use Conformance\Internal\Sockets;
use Conformance\Internal\Built;
use Conformance\Rust;
use Conformance\RustException;

require __DIR__ . '/../.tierup/php/autoload.php';

header('Content-Type: text/plain');
$value = $_GET['value'] ?? '';
try {
    // Like the functions in Rust, but for one input each.
    $rust = Rust::with(baseline: [
        'echoText' => fn(string $text) => $text === '😀' ? ':-)' : $text,
        'hangOn' => strlen(...),
        'panicIf' => fn(bool $condition, string $text) => $text,
    ]);
    $text = match (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
        '/tier' => $rust->tier(),
        '/echo' => $rust->echoText($value),
        '/body' => hash('sha256', $rust->echoBytes(file_get_contents('php://input'))),
        '/panic-if' => $rust->panicIf(true, $value),
        '/panic' => $rust->panicWith($value),
        '/process' => getmypid() . ' ' . $rust->countCalls(),
        '/metrics' => $rust->echoText($value) . $rust->metrics()['calls'],
        '/hang' => $rust->hangOn('really'),
        '/deep' => $rust->hangOn('deeply'),
        '/memory' => preg_replace('/.*VmRSS:\s+(\d+).*/s', '$1', file_get_contents('/proc/self/status')),
        // Requests that end in the middle of a call, unnoticed by PHP: before the answer is read (`abandon`), or when only
        // a part of the arguments is written (`half`). Real calls are marked as under way; the unmarked ones cannot happen.
        '/abandon' => abandon($value, false, true),
        '/half' => abandon($value, true, true),
        '/unmarked' => abandon($value, false, false),
        '/unmarked-half' => abandon($value, true, false),
    };
} catch (RustException $failure) {
    http_response_code(500);
    $text = $failure::class . ': ' . $failure->getMessage();
}
// Without this header, the answer of a killed process would look complete.
header('Content-Length: ' . strlen((string) $text));
echo $text;

function abandon(string $value, bool $half, bool $marked): string
{
    $connection = Sockets::connected(Built::program());
    $stream = (new ReflectionProperty(Connection::class, 'input'))->getValue($connection);
    $number = array_search('echoText', Calls::NAMES, true);
    $arguments = Calls::{"arguments$number"}("answer of $value");
    $frame = pack('VVP', 12 + strlen($arguments), $number | 1 << 31, hrtime(true)) . $arguments;
    if ($marked) {
        (new ReflectionMethod($connection, 'mark'))->invoke($connection, true);
    }
    fwrite($stream, $half ? substr($frame, 0, -3) : $frame);

    return 'abandoned';
}
