<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\TransportException;

/** Bytes to and from a process, until a deadline. */
final class Stream
{
    private const CHUNK = 65536;

    private ?int $deadline;

    /**
     * @param resource $input
     * @param resource $output
     */
    public function __construct(private $input, private $output, ?float $seconds)
    {
        $this->deadline = $seconds === null ? null : \hrtime(true) + (int) (1e9 * $seconds);
    }

    /** Whether all bytes could be written. */
    public function write(string $bytes): bool
    {
        $length = \strlen($bytes);
        $at = (int) @\fwrite($this->input, $bytes);
        while ($at < $length) {
            $count = (int) @\fwrite($this->input, \substr($bytes, $at, self::CHUNK));
            if ($count === 0) {
                return false;
            }
            $at += $count;
        }
        return true;
    }

    /** This many bytes, or fewer at the end of the stream; null after the deadline. */
    public function read(int $length): ?string
    {
        $bytes = '';
        while (($left = $length - \strlen($bytes)) > 0) {
            if (!$this->waited()) {
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
     * Whether there is something to read, or the end, before the deadline. It waits in `stream_select`, not in `fread`:
     * a signal interrupts the former, so the program's handlers run, and may end the call.
     */
    private function waited(): bool
    {
        do {
            $left = $this->deadline === null ? null : $this->deadline - \hrtime(true);
            if ($left !== null && $left <= 0) {
                return false;
            }
            [$read, $none] = [[$this->output], null];
            $seconds = $left === null ? null : \intdiv($left, 1_000_000_000);
            $found = @\stream_select($read, $none, $none, $seconds, $left === null ? null : \intdiv($left % 1_000_000_000, 1000));
            if ($found === false && $this->isOutOfReach()) {
                throw new TransportException(
                    'PHP cannot wait for a program while more than 1,000 files and connections are open (FD_SETSIZE); use 3:native',
                );
            }
        } while ($found === false || $found === 0);

        return true;
    }

    /** Whether `stream_select` cannot watch the output. This asks without waiting, so no signal makes it fail. */
    private function isOutOfReach(): bool
    {
        [$read, $none] = [[$this->output], null];

        return @\stream_select($read, $none, $none, 0) === false;
    }
}
