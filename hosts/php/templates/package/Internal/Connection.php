<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\CallTimeoutException;
use {{namespace}}\TransportException;

/**
 * A connection to a worker, by pipes or by a socket. A request is its length, the function's number, a sequence number
 * and the arguments. An answer is its length, the request's sequence number and its bytes. The sequence number shows a
 * caller that the answer is its own.
 */
final class Connection
{
    /** The bit in a function's number that announces a sequence number. */
    private const NUMBERED = 1 << 31;

    /** The process that may use the connection: a forked process has only copies. */
    private int $owner;

    /**
     * @param resource $input
     * @param resource $output
     * @param bool $isGreeted whether the hash of the interface has been read from it
     */
    public function __construct(
        private $input,
        private $output,
        private string $name,
        private bool $isGreeted,
        private ?Process $process = null,
    ) {
        $this->owner = (int) \getmypid();
    }

    /** Whether the worker can be asked: the connection is this process's own, open, and without data. */
    public function isUsable(): bool
    {
        if ($this->owner !== \getmypid() || !\is_resource($this->output)) {
            return false;
        }
        [$read, $none] = [[$this->output], null];

        return @\stream_select($read, $none, $none, 0) === 0;
    }

    /** Whether the connection belongs to another process, this one's parent. It must not be closed then. */
    public function isForeign(): bool
    {
        return $this->owner !== \getmypid();
    }

    /** Reads the hash of the interface, which a worker sends first; false if the worker has ended before. */
    public function greet(): bool
    {
        if ($this->isGreeted) {
            return true;
        }
        $seconds = Limits::start();
        $greeting = (new Stream($this->input, $this->output, $seconds))->read(8);
        if ($greeting === null) {
            $this->close();
            throw new TransportException("$this->name did not start within $seconds s (TIERUP_START_TIMEOUT)");
        }
        if (\strlen($greeting) < 8) {
            return false;
        }
        if ($greeting === "\0\0\0\0\0\0\0\0") {
            $reason = (string) (new Stream($this->input, $this->output, $seconds))->readAll();
            $this->close();
            throw new TransportException($reason);
        }
        if (\bin2hex(\strrev($greeting)) !== Calls::ABI) {
            $this->close();
            throw new TransportException("$this->name has another interface: run `tierup build`, and start the server again");
        }
        $this->mark(false);

        return $this->isGreeted = true;
    }

    /** Makes a call. The connection is unusable if this throws. */
    public function call(int $number, string $arguments, ?float $seconds): string
    {
        $this->mark(true);
        // This is unique in the process: one call at a time is under way, and each takes longer than a nanosecond.
        $sequence = \hrtime(true);
        $stream = new Stream($this->input, $this->output, $seconds);
        $isWritten = $stream->write(\pack('VVP', 12 + \strlen($arguments), $number | self::NUMBERED, $sequence) . $arguments);
        if (!($isWritten ?? throw $this->late($seconds))) {
            throw new TransportException($this->ended());
        }
        $head = $stream->read(12) ?? throw $this->late($seconds);
        if (\strlen($head) < 12) {
            throw new TransportException($this->ended());
        }
        ['length' => $length, 'sequence' => $echoed] = \unpack('Vlength/Psequence', $head);
        if ($echoed !== $sequence) {
            throw new TransportException("$this->name gave the answer of another call, which was discarded");
        }
        $answer = $stream->read($length - 8) ?? throw $this->late($seconds);
        if (\strlen($answer) !== $length - 8) {
            throw new TransportException($this->ended());
        }
        $this->mark(false);

        return $answer;
    }

    /** Whether a request ended during a call: the next bytes on a kept connection are then part of the old answer. */
    public static function isAbandoned($stream): bool
    {
        return \stream_get_meta_data($stream)['blocked'];
    }

    /**
     * Marks whether a call is under way, on a connection that PHP may keep for the next request. The next request sees
     * none of this one's variables, but does see the connection's mode: it blocks only during a call.
     */
    private function mark(bool $isBusy): void
    {
        if ($this->process === null) {
            \stream_set_blocking($this->output, $isBusy);
        }
    }

    /** Ends the worker, even during a call: it ends when its connection does. */
    public function close(): void
    {
        if ($this->process !== null) {
            $this->process->kill();
        } elseif (\is_resource($this->output)) {
            // This also closes a connection that PHP would keep for the next request.
            \fclose($this->output);
        }
    }

    private function ended(): string
    {
        return $this->process?->ended() ?? "$this->name was ended in the middle of a call";
    }

    private function late(?float $seconds): CallTimeoutException
    {
        return new CallTimeoutException("the call took longer than $seconds s (TIERUP_CALL_TIMEOUT): its process was ended");
    }
}
