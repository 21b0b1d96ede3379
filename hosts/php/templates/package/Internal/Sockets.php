<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\TransportException;

/**
 * Workers of a program that listens on a socket and starts one for each connection. PHP keeps the connection for the
 * next request of the same process.
 */
final class Sockets
{
    public static function connected(string $program): Connection
    {
        $own = \getenv('TIERUP_POOL_SOCKET') ?: null;
        $socket = self::path($program);
        // A program that ends because it is idle may do so between two of these steps.
        for ($round = 0; $round < 3; $round++) {
            if ($round > 0 && $own === null) {
                self::start($program, $socket);
            }
            $stream = self::opened($socket);
            if ($stream === null) {
                continue;
            }
            // PHP counts a connection's bytes across requests, so only a new connection has none.
            $isKept = \ftell($stream) !== 0;
            $connection = new Connection($stream, $stream, $program, $isKept);
            if ($isKept && (Connection::isAbandoned($stream) || !$connection->isUsable())) {
                $connection->close();
                $round--;
                continue;
            }
            if ($connection->greet()) {
                return $connection;
            }
            $connection->close();
        }
        $hint = $own === null ? 'standard error says why' : 'TIERUP_POOL_SOCKET names it: does its program run?';
        throw new TransportException("no worker answers on $socket: $hint");
    }

    /** Whether a server's program was started elsewhere, so that PHP need neither find nor start it. */
    public static function isElsewhere(): bool
    {
        return !Place::isProgram() && (string) \getenv('TIERUP_POOL_SOCKET') !== '';
    }

    /** The program of `1:pool`, for `path`, or words for it. */
    public static function program(): string
    {
        return self::isElsewhere() ? 'the program of TIERUP_POOL_SOCKET' : Built::program();
    }

    /** Where a program listens, or will listen once a request has started it. */
    public static function path(string $program): string
    {
        return (\getenv('TIERUP_POOL_SOCKET') ?: null)
            ?? Place::folder() . '/' . \substr(\hash('sha256', $program . Calls::ABI), 0, 16) . '.sock';
    }

    /** @return resource|null */
    public static function opened(string $socket, int $flags = 0)
    {
        // Outside a request, as in a preloaded script, all forked processes would share a kept connection.
        $kept = isset($_SERVER['REQUEST_METHOD']) ? \STREAM_CLIENT_PERSISTENT : 0;
        $seconds = Limits::start();
        $stream = Quiet::run(static fn() => \stream_socket_client("unix://$socket", timeout: $seconds, flags: \STREAM_CLIENT_CONNECT | $kept | $flags));
        if (!\is_resource($stream)) {
            return null;
        }
        // Calls have a time-out of their own, or none.
        \stream_set_timeout($stream, 1_000_000);
        \stream_set_chunk_size($stream, 65536);

        return $stream;
    }

    /** Starts a program that listens and outlives this request, unless one is there. */
    private static function start(string $program, string $socket): void
    {
        $seconds = Limits::start();
        $process = new Process([$program, '--tierup-start', $socket, Calls::ABI]);
        \fclose($process->input);
        if ((new Stream($process->output, $process->output, $seconds))->readAll() === null) {
            throw new TransportException("$program did not start within $seconds s (TIERUP_START_TIMEOUT)");
        }
        if ($process->close() > 0) {
            throw new TransportException("$program cannot listen on $socket: standard error says why");
        }
    }

    /** The same, without waiting for more than a moment: until the process that starts it has usually ended. */
    public static function startAside(string $program, string $socket): void
    {
        $process = \proc_open([$program, '--tierup-start', $socket, Calls::ABI], [['null'], ['null']], $pipes);
        for ($left = 20; \is_resource($process) && $left > 0 && \proc_get_status($process)['running']; $left--) {
            \usleep(1000);
        }
    }
}
