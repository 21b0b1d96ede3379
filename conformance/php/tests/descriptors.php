<?php

// Descriptors of a long-lived PHP program: more than `select` can watch, clients' connections, and the pool's program after a fork.

declare(strict_types=1);

use Conformance\{Pool, Rust, TransportException};

require __DIR__ . '/../check.php';

// `stream_select` cannot watch descriptors from 1,024 on. Such a call throws an exception; it does not wait for ever.
posix_setrlimit(POSIX_RLIMIT_NOFILE, 4096, 4096);
foreach (['1:spawn', '1:pool'] as $tier) {
    $rust = Rust::with(tier: $tier);
    $open = [];
    while (count($open) < 1100) {
        $open[] = fopen('/dev/null', 'r');
    }
    thrown(TransportException::class, fn() => $rust->echoText('a'), 'FD_SETSIZE');
    eventually(fn() => children(getmypid()) === [], "$tier leaves a process");
    $open = [];
    same('b', $rust->echoText('b'), $tier);
    $rust->close();
}

// A worker that is started while a client is connected does not keep that connection open.
$rust = Rust::with(tier: '1:pool');
$server = stream_socket_server('tcp://127.0.0.1:0');
$client = stream_socket_client('tcp://' . stream_socket_get_name($server, false));
$connection = stream_socket_accept($server);
fwrite($connection, $rust->echoText('answer'));
fclose($connection);
stream_set_timeout($client, 60);
same('answer', stream_get_contents($client));
holds(feof($client), 'the client does not see the end of its connection');
$rust->close();

// The pool's program belongs to the process that started it: the end of a forked child does not stop it.
$pool = Pool::start();
$child = pcntl_fork();
if ($child === 0) {
    exit(0);
}
pcntl_waitpid($child, $status);
$stream = @stream_socket_client("unix://$pool->socket");
holds(is_resource($stream), 'a forked child ended the pool of its parent');
fclose($stream);
$pool->stop();
holds(!file_exists($pool->socket), 'the socket is still there');
