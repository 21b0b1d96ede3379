<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\TransportException;

/** A process of the built program, and the pipes to it. Its standard error is the server's. */
final class Process
{
    /** How long a trial may take, in seconds. The server waits for it when it starts. */
    private const TRIAL = 10.0;

    /** @var resource */
    public $input;

    /** @var resource */
    public $output;

    /** @var resource|null */
    private $process;

    private int $owner;

    public function __construct(private array $command)
    {
        $process = @\proc_open($command, [['pipe', 'r'], ['pipe', 'w']], $pipes);
        if (!\is_resource($process)) {
            throw new TransportException("$command[0] cannot be started: " . (\error_get_last()['message'] ?? 'run `tierup build`'));
        }
        [$this->process, $this->owner] = [$process, (int) \getmypid()];
        [$this->input, $this->output] = $pipes;
    }

    /**
     * Runs a program that needs no input and ends soon. Returns what it printed, or else how it ended. Its exit code is
     * lost where the server ignores the ends of its children, or waits for all of them.
     */
    public static function tried(array $command): string
    {
        // A file instead of `null` would have to be in open_basedir.
        $process = @\proc_open($command, [['null'], ['pipe', 'w'], ['redirect', 1]], $pipes);
        if (!\is_resource($process)) {
            return 'it cannot be started';
        }
        $said = (new Stream($pipes[1], $pipes[1], self::TRIAL))->readAll();
        $status = \proc_get_status($process);
        $status['running'] && \proc_terminate($process, 9);
        // Before PHP 8.3, only the first of the two knows the exit code.
        $code = \max($status['exitcode'], \proc_close($process));

        return match ($said === null ? null : \trim($said)) {
            null => 'it did not end within ' . self::TRIAL . ' s',
            '' => "it ended with exit code $code",
            default => \trim($said),
        };
    }

    /** Kills the process, unless it has ended. A forked child does not kill its parent's process. */
    public function kill(): void
    {
        if ($this->process === null) {
            return;
        }
        if ($this->owner === \getmypid()) {
            @\proc_terminate($this->process, 9);
        }
        $this->close();
    }

    /** How the process ended, for a message. */
    public function ended(): string
    {
        $program = $this->command[0];
        if ($this->process === null) {
            return "$program has ended";
        }
        // Both pipes are closed, so the process ends by itself or has ended.
        $end = \hrtime(true) + 5_000_000_000;
        while (($status = \proc_get_status($this->process))['running'] && \hrtime(true) < $end) {
            \usleep(1000);
        }
        $this->kill();
        return match (true) {
            $status['signaled'] => "$program was ended by signal $status[termsig]",
            $status['running'] => "$program has closed its output",
            default => "$program ended with exit code $status[exitcode]: standard error has its last words",
        };
    }

    /** Waits for the process's end and returns its exit code: -1 if the server itself has waited for it. */
    public function close(): int
    {
        foreach ([$this->input, $this->output] as $pipe) {
            if (\is_resource($pipe)) {
                \fclose($pipe);
            }
        }
        $process = $this->process;
        $this->process = null;

        return $process === null ? 0 : \proc_close($process);
    }

    public function __destruct()
    {
        $this->kill();
    }
}
