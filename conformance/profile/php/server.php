<?php

// Starts the server of PORT, and a second one beside it for `in_worker`. SIGTERM and SIGINT stop both.

declare(strict_types=1);

$stopped = false;
pcntl_async_signals(true);
foreach ([SIGTERM, SIGINT] as $signal) {
    pcntl_signal($signal, function () use (&$stopped): void {
        $stopped = true;
    });
}
$socket = stream_socket_server('tcp://127.0.0.1:0');
$worker = (int) substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
fclose($socket);
// Random letters, which are the same in each run.
$text = '';
for ($letter = 5; strlen($text) < 200_000; $text .= chr($letter >> 28)) {
    $letter = ($letter * 1_664_525 + 1_013_904_223) & 0xFFFFFFFF;
}
file_put_contents(__DIR__ . '/text', $text);
// A server before this one has counted from its own start.
@unlink(__DIR__ . '/state');
$children = [];
foreach ([$worker, (int) getenv('PORT')] as $port) {
    // A script that is named as a router would run without PHP's auto_prepend_file, which samples the requests.
    $command = [PHP_BINARY, '-q', '-S', "127.0.0.1:$port", '-t', __DIR__];
    $environment = ['WORKER' => (string) $worker] + getenv();
    $children[] = proc_open($command, [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], STDERR], $pipes, null, $environment);
    // The other server is there when the first request comes.
    while (!$stopped && ($client = @stream_socket_client("tcp://127.0.0.1:$port")) === false && proc_get_status(end($children))['running']) {
        usleep(10_000);
    }
    is_resource($client ?? null) && fclose($client);
}
while (!$stopped && array_product(array_map(fn($child) => (int) proc_get_status($child)['running'], $children)) === 1) {
    usleep(100_000);
}
foreach ($children as $child) {
    proc_terminate($child, SIGTERM);
    proc_close($child);
}
exit($stopped ? 0 : 1);
