<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\TransportException;

/**
 * `1:pool`: a worker that lives longer than a call. A PHP process makes one call at a time, so it has one worker. A
 * forked process starts its own.
 *
 * On the command line, a program starts its worker itself. In a server, processes that a request starts end with the
 * request. So PHP connects to a socket and keeps the connection, and another program starts the worker (`Sockets`).
 */
final class Workers implements Variant
{
    /** Shared by all bindings, as a worker takes memory. */
    private static ?Connection $idle = null;

    private string $program;

    private ?float $seconds;

    public function __construct()
    {
        $this->program = Sockets::program();
        $this->seconds = Limits::call();
    }

    public function call(int $number, string $arguments): string
    {
        // No other call can use the connection meanwhile. If the call fails, the worker cannot be used again: it would
        // next send the failed call's answer.
        $connection = $this->take();
        $flight = InFlight::begin($connection->close(...));
        $isAnswered = false;
        try {
            $answer = $connection->call($number, $arguments, $this->seconds);
            $isAnswered = true;
        } finally {
            if ($isAnswered && self::$idle === null) {
                self::$idle = $connection;
            } else {
                $connection->close();
            }
            InFlight::end($flight);
        }
        return $answer;
    }

    public function ready(): void
    {
        self::$idle = $this->take();
    }

    public function close(): void
    {
        $idle = self::$idle;
        self::$idle = null;
        if ($idle !== null && !$idle->isForeign()) {
            $idle->close();
        }
    }

    /** Takes the idle connection, or opens a new one. */
    private function take(): Connection
    {
        $idle = self::$idle;
        self::$idle = null;
        if ($idle !== null) {
            if ($idle->isUsable()) {
                return $idle;
            }
            if (!$idle->isForeign()) {
                $idle->close();
            }
        }
        try {
            return Place::isProgram() ? $this->started() : Sockets::connected($this->program);
        } catch (TransportException $lost) {
            $this->program = Built::insteadOf($this->program) ?? throw $lost;

            return $this->take();
        }
    }

    private function started(): Connection
    {
        $process = new Process([$this->program, '--tierup-worker', Calls::ABI]);
        $connection = new Connection($process->input, $process->output, $this->program, false, $process);
        if (!$connection->greet()) {
            throw new TransportException($process->ended());
        }
        return $connection;
    }
}
