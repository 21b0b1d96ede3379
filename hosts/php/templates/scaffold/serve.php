<?php

// Starts PHP's built-in server for index.php, with the built extensions of tiers 2 and 3. Production uses PHP-FPM
// instead: see the README in .tierup/php.

declare(strict_types=1);

require __DIR__ . '/../tierup/{{name}}/php/autoload.php';

$host = getenv('HOST') ?: '127.0.0.1';
$port = getenv('PORT') ?: '8080';
$options = [];
foreach (glob(__DIR__ . '/../tierup/{{name}}/php/artifacts/*.so') as $extension) {
    array_push($options, '-d', "extension=$extension");
}
if (in_array(getenv('TIERUP_TIER'), ['1', '1:pool'], true)) {
    // The workers are children of this process, and end with it.
    $pool = {{namespace}}\Pool::start();
}
fprintf(STDERR, "listening on http://%s:%s\n", $host, $port);
// One process: with PHP_CLI_SERVER_WORKERS, further ones would outlive a server stopped by SIGTERM.
$environment = array_diff_key(getenv(), ['PHP_CLI_SERVER_WORKERS' => '']);
pcntl_exec(PHP_BINARY, [...$options, '-q', '-S', "$host:$port", __DIR__ . '/index.php'], $environment);
