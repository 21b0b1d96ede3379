<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * Deaths of processes in a call of a rollout's candidate. An extension that overflows its stack ends the process, which
 * can then report nothing. So each process has a file that says whether it is in such a call. Other processes find the
 * files of those that have ended.
 */
final class Mark
{
    /** @var resource|null */
    private $file = null;

    private string $path;

    /**
     * Running calls: a signal's handler may make one during another. If one ends before it can say so, its object is
     * freed with its variables.
     *
     * @var \WeakMap<object, true>
     */
    private \WeakMap $running;

    /** What the file says. */
    private string $state = '0';

    /** @param string $name the candidate's name and generation; a death counts against this name only */
    public function __construct(private string $folder, public readonly string $name, int $number)
    {
        $this->running = new \WeakMap();
        $this->path = "$folder/" . \getmypid() . '-' . self::began() . "-$number-" . \gethostname() . '.call';
    }

    /**
     * Makes this process's file, or opens that of an earlier request. Returns whether nobody has seen it before. Throws
     * if a death would go unnoticed.
     */
    public function open(): bool
    {
        $text = "0 $this->name\n";
        $file = \fopen($this->path, 'c+e');
        if ($file === false) {
            throw new \UnexpectedValueException('it cannot be written');
        }
        // A request that PHP ended in a call has left its mark.
        $isNew = \stream_get_contents($file) !== $text;
        if ($isNew) {
            \chmod($this->path, 0600);
            if (!\rewind($file) || \fwrite($file, $text) !== \strlen($text) || !\ftruncate($file, \strlen($text))) {
                \unlink($this->path);
                throw new \UnexpectedValueException('it cannot be written');
            }
        }
        $this->file = $file;

        return $isNew;
    }

    public function isThere(): bool
    {
        return $this->file !== null && \fstat($this->file)['nlink'] > 0;
    }

    /** How many processes have died in a call of the candidate. */
    public function deaths(): int
    {
        $count = 0;
        foreach (\scandir($this->folder) ?: [] as $entry) {
            $path = "$this->folder/$entry";
            if (\str_ends_with($entry, '.call') && $path !== $this->path) {
                $count += (int) $this->hasDied($path, $entry);
            } elseif (\str_ends_with($entry, '.died')) {
                $count += (int) $this->isOurs((string) \file_get_contents($path));
            }
        }
        return $count;
    }

    public function enter(object $call): void
    {
        Quiet::run(function () use ($call): void {
            $this->running[$call] = true;
            $this->write('1');
        });
    }

    public function leave(object $call): void
    {
        Quiet::run(function () use ($call): void {
            unset($this->running[$call]);
            $this->correct();
        });
    }

    /** Takes the mark of a call back that has ended unnoticed. */
    public function correct(): void
    {
        if ($this->state === '1' && \count($this->running) === 0) {
            $this->write('0');
        }
    }

    /** At the end of a request. Returns whether PHP has ended it in a call. */
    public function end(bool $isRemoved): bool
    {
        $isInCall = $this->state === '1';
        if ($isInCall) {
            $this->write('0');
        }
        if ($isRemoved && $this->isThere()) {
            \unlink($this->path);
        }
        return $isInCall;
    }

    private function write(string $state): void
    {
        $this->state = $state;
        \rewind($this->file) && \fwrite($this->file, $state);
    }

    /** Whether a file shows that a process died in a call. Of several processes that look, only one reports it. */
    private function hasDied(string $path, string $entry): bool
    {
        [$process, $began, , $machine] = [...\explode('-', \substr($entry, 0, -5), 4), '', '', ''];
        if ($machine !== \gethostname() || self::lives((int) $process, $began)) {
            return false;
        }
        $text = \file_get_contents($path);
        if ($text === false) {
            return false;
        }
        if (!\str_starts_with($text, '1')) {
            \unlink($path);
            return false;
        }
        return \rename($path, \substr($path, 0, -4) . 'died') && $this->isOurs($text);
    }

    private function isOurs(string $text): bool
    {
        return \str_ends_with($text, " $this->name\n");
    }

    /** When this process began, as numbers of processes are reused. */
    private static function began(): string
    {
        return \explode(' ', (string) \strrchr((string) \file_get_contents('/proc/self/stat'), ')'))[20] ?? '0';
    }

    private static function lives(int $process, string $began): bool
    {
        if ($process === \getmypid()) {
            return $began === self::began();
        }
        // Where neither can be asked, nobody is taken for dead.
        return \is_dir('/proc/self')
            ? \is_dir("/proc/$process")
            : !\function_exists('posix_kill') || \posix_kill($process, 0) || \posix_get_last_error() !== 3;
    }
}
