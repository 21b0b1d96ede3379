<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}};

use {{namespace}}\Internal\Built;
use {{namespace}}\Internal\Calls;
use {{namespace}}\Internal\Limits;
use {{namespace}}\Internal\Place;

/**
 * The program of `1:pool` as a child of this process, for the script that starts PHP-FPM or `php -S`. Its workers serve
 * the processes that find its socket in TIERUP_POOL_SOCKET, and end with it. Without it, the first request that needs a
 * worker starts a program, which ends ten seconds after its last worker.
 */
final class Pool
{
    /** The value of TIERUP_POOL_SOCKET, which PHP-FPM's configuration may have to pass on. */
    public readonly string $socket;

    /** @var resource|null */
    private $process;

    private int $owner;

    /** @throws TransportException if it cannot be started */
    public static function start(): self
    {
        return new self();
    }

    private function __construct()
    {
        $this->socket = Place::folder() . '/server-' . \getmypid() . '.sock';
        $command = [Built::program(), '--tierup-listen', $this->socket, Calls::ABI];
        // Nobody listens on a socket that a killed server has left.
        @\unlink($this->socket);
        $process = @\proc_open($command, [['null'], \STDERR], $pipes);
        if (!\is_resource($process)) {
            throw new TransportException("$command[0] cannot be started: run `tierup build`");
        }
        $this->process = $process;
        $this->owner = (int) \getmypid();
        $end = \hrtime(true) + (int) (1e9 * Limits::start());
        while (($stream = @\stream_socket_client("unix://$this->socket")) === false) {
            if (\hrtime(true) > $end || !\proc_get_status($process)['running']) {
                $this->stop();
                throw new TransportException("$command[0] does not listen on $this->socket: standard error has its last words");
            }
            \usleep(1000);
        }
        \fclose($stream);
        \putenv("TIERUP_POOL_SOCKET=$this->socket");
    }

    /** Ends the program. In a forked child this does nothing, as the program is the parent's. */
    public function stop(): void
    {
        if ($this->process !== null && $this->owner === \getmypid()) {
            \proc_terminate($this->process, 9);
            \proc_close($this->process);
            $this->process = null;
            @\unlink($this->socket);
        }
    }

    public function __destruct()
    {
        $this->stop();
    }
}
