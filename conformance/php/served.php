<?php

// What tests of servers share: PHP-FPM behind nginx, clients that ask it, and the processes below it.

declare(strict_types=1);

/** A port below those that the system gives to clients: a client's connection could take such a port before the server listens. */
function freePort(): string
{
    do {
        $port = (string) random_int(20_000, 32_000);
        $socket = @stream_socket_server("tcp://127.0.0.1:$port");
    } while ($socket === false);
    fclose($socket);
    return $port;
}

/** The servers' own processes, and what they started. */
function server(array $environment): array
{
    $port = freePort();
    $environment += ['PORT' => $port, 'TIERUP_WORKERS' => '8'] + getenv();
    $log = [STDIN, ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']];
    $process = proc_open(['php', __DIR__ . '/serve.php'], $log, $pipes, null, $environment);
    // Stops the server even if a check fails. Forked children run this function too, and must not stop it.
    $owner = getmypid();
    register_shutdown_function(fn() => getmypid() === $owner && is_resource($process) && proc_terminate($process, SIGTERM));
    eventually(fn() => @asked($port, '/tier')[0] === 200, 'the server does not answer');

    return [$process, $port];
}

function stopped($process): void
{
    $own = proc_get_status($process)['pid'];
    proc_terminate($process, SIGTERM);
    proc_close($process);
    eventually(fn() => !lives($own), 'the server does not stop');
}

/** The status and the body. The status is 0 if the server closed the connection before the end of the body. */
function asked(string $port, string $target, string $body = ''): array
{
    $options = ['ignore_errors' => true, 'timeout' => 60.0, 'method' => $body === '' ? 'GET' : 'POST', 'content' => $body];
    $text = @file_get_contents("http://127.0.0.1:$port$target", false, stream_context_create(['http' => $options]));
    $status = (int) substr($http_response_header[0] ?? '         ', 9, 3);

    $length = preg_filter('/\AContent-Length: (\d+)\z/i', '$1', $http_response_header ?? []);
    $isWhole = $text !== false && $length !== [] && (int) current($length) === strlen($text);

    return [$isWhole ? $status : 0, (string) $text];
}

/** Runs `work` in several processes at once, each of which must succeed. */
function inParallel(int $count, callable $work): void
{
    $children = [];
    for ($number = 0; $number < $count; $number++) {
        $child = pcntl_fork();
        if ($child === 0) {
            try {
                $work($number);
            } catch (Throwable $failure) {
                fwrite(STDERR, "$failure\n");
                posix_kill(getmypid(), SIGKILL);
            }
            exit(0);
        }
        $children[] = $child;
    }
    foreach ($children as $child) {
        pcntl_waitpid($child, $status);
        same(0, $status, 'a client');
    }
}

/** All descendants of a process: their names by process id. */
function descendants(int $parent): array
{
    $parents = [];
    foreach (glob('/proc/[0-9]*/stat') as $file) {
        if (preg_match('/\A(\d+) \((.*)\) \S (\d+) /s', (string) @file_get_contents($file), $parts) === 1) {
            $parents[(int) $parts[3]][(int) $parts[1]] = $parts[2];
        }
    }
    $found = [];
    for ($next = [$parent]; $next !== []; $next = array_keys($of)) {
        $of = [];
        foreach ($next as $one) {
            $of += $parents[$one] ?? [];
        }
        $found += $of;
    }
    return $found;
}
