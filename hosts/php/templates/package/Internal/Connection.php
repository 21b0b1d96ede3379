<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\CallTimeoutException;
use {{namespace}}\TransportException;

/**
 * A worker, by its pipes or by its socket. A request is its length, the function's number, a sequence number and the
 * arguments; an answer is its length, the request's sequence number and its bytes. By that number, a caller recognizes its
 * own answer.
 */
final class Connection
{
    /** The bit of a function's number that says that a sequence number follows. */
    private const NUMBERED = 1 << 31;

    /** The process that may use it: a forked one has copies only. */
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

    /** Whether it can be asked: it is this process's own, and silent, which one that has ended is not. */
    public function isUsable(): bool
    {
        if ($this->owner !== \getmypid() || !\is_resource($this->output)) {
            return false;
        }
        [$read, $none] = [[$this->output], null];

        return @\stream_select($read, $none, $none, 0) === 0;
    }

    /** Whether it is the connection of another process, this one's parent, which must not be closed. */
    public function isForeign(): bool
    {
        return $this->owner !== \getmypid();
    }

    /** Reads the hash of the interface that a worker begins with; false if it has ended before. */
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

    /** Makes a call. If it throws, the connection is of no use any more. */
    public function call(int $number, string $arguments, ?float $seconds): string
    {
        $this->mark(true);
        // No other call of this process can have it: one at a time is under way, and each takes longer than a nanosecond.
        $sequence = \hrtime(true);
        $stream = new Stream($this->input, $this->output, $seconds);
        if (!$stream->write(\pack('VVP', 12 + \strlen($arguments), $number | self::NUMBERED, $sequence) . $arguments)) {
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

    /** Whether a request was ended in the middle of a call: the next bytes on a kept connection belong to no call. */
    public static function isAbandoned($stream): bool
    {
        return \stream_get_meta_data($stream)['blocked'];
    }

    /**
     * Says on a connection that PHP may keep for the next request whether a call is under way. Nothing of a request's
     * variables is left then, but the mode of the connection is: it blocks during a call only.
     */
    private function mark(bool $isBusy): void
    {
        if ($this->process === null) {
            \stream_set_blocking($this->output, $isBusy);
        }
    }

    /** Ends the worker, in a call or not: it ends as soon as its connection does. */
    public function close(): void
    {
        if ($this->process !== null) {
            $this->process->kill();
        } elseif (\is_resource($this->output)) {
            // Also one that PHP would keep for the next request.
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
