<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\TransportException;

/** Bytes to and from a process, until a deadline. */
final class Stream
{
    private const CHUNK = 65536;

    /** So many bytes have room in any pipe or socket whose other end has read all before them. */
    private const AT_ONCE = 4096;

    /** In nanoseconds: a signal just before a wait does not interrupt it, so its handler runs after the wait. */
    private const LONGEST_WAIT = 1_000_000_000;

    private ?int $deadline;

    /**
     * @param resource $input
     * @param resource $output
     */
    public function __construct(private $input, private $output, ?float $seconds)
    {
        $this->deadline = $seconds === null ? null : \hrtime(true) + (int) (1e9 * $seconds);
    }

    /** Whether all bytes could be written; null after the deadline. */
    public function write(string $bytes): ?bool
    {
        $length = \strlen($bytes);
        if ($length <= self::AT_ONCE) {
            return @\fwrite($this->input, $bytes) === $length;
        }
        // A pipe may have room for less than a chunk, a socket not. A socket's mode marks a call that is under way.
        $isPipe = $this->input !== $this->output;
        $isPipe && \stream_set_blocking($this->input, false);
        for ($at = 0; $at < $length; $at += $count) {
            if (!$this->waited($this->input)) {
                return null;
            }
            $count = @\fwrite($this->input, \substr($bytes, $at, self::CHUNK));
            if ($count === false || $count === 0) {
                return false;
            }
        }
        $isPipe && \stream_set_blocking($this->input, true);

        return true;
    }

    /** This many bytes, or fewer at the end of the stream; null after the deadline. */
    public function read(int $length): ?string
    {
        $bytes = '';
        while (($left = $length - \strlen($bytes)) > 0) {
            if (!$this->waited(null)) {
                return null;
            }
            $part = @\fread($this->output, \min($left, self::CHUNK));
            if ($part === false || $part === '' && \feof($this->output)) {
                return $bytes;
            }
            $bytes .= $part;
        }
        return $bytes;
    }

    /** All bytes up to the end of the stream; null after the deadline. */
    public function readAll(): ?string
    {
        return $this->read(\PHP_INT_MAX);
    }

    /**
     * Whether there is something to read, or the end, or room to write, before the deadline. It waits in `stream_select`,
     * not in `fread` or `fwrite`: a signal interrupts the former, so the program's handlers run, and may end the call.
     *
     * @param ?resource $to what is written to; null to read
     */
    private function waited($to): bool
    {
        do {
            $left = $this->deadline === null ? self::LONGEST_WAIT : $this->deadline - \hrtime(true);
            if ($left <= 0) {
                return false;
            }
            $found = $this->select($to, \min($left, self::LONGEST_WAIT));
            // It fails after a signal, too. This asks without waiting, so no signal makes it fail.
            if ($found === false && $this->select($to, 0) === false) {
                throw new TransportException(
                    'PHP cannot wait for a program while more than 1,000 files and connections are open (FD_SETSIZE); use 3:native',
                );
            }
        } while ($found === false || $found === 0);

        return true;
    }

    /**
     * @param ?resource $to
     * @param int $left in nanoseconds, at most a second
     */
    private function select($to, int $left): int|false
    {
        [$read, $write, $none] = $to === null ? [[$this->output], null, null] : [null, [$to], null];

        return @\stream_select($read, $write, $none, 0, \intdiv($left, 1000));
    }
}
