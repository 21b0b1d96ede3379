<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * Counts cache hits of `0:memo`. `tierup bench` names a folder in TIERUP_MEMO_COUNTS. A file there has the numbers of
 * calls, hits, entries and bytes of all processes that share the memory. One of them writes it, at most ten times a
 * second.
 */
final class MemoCounts
{
    /** Milliseconds between two writes. */
    private const PAUSE = 100;

    /** The size of the file. It is constant, so a reader never sees part of a number. */
    private const LENGTH = 96;

    private ?string $folder;

    public function __construct(private Kept $kept)
    {
        $this->folder = \getenv('TIERUP_MEMO_COUNTS') ?: null;
    }

    public function note(bool $isHit): void
    {
        // Only a benchmark names a folder, and reads the counts.
        if ($this->folder === null) {
            return;
        }
        $calls = \apcu_inc($this->kept->beside('calls'));
        $isHit && \apcu_inc($this->kept->beside('hits'));
        $now = \intdiv(\hrtime(true), 1_000_000);
        $next = $this->kept->beside('next');
        \apcu_add($next, 0);
        $due = \apcu_fetch($next);
        if (\is_int($calls) && \is_int($due) && $now >= $due && \apcu_cas($next, $due, $now + self::PAUSE)) {
            $this->write($calls);
        }
    }

    private function write(int $calls): void
    {
        $id = $this->kept->beside('id');
        \apcu_add($id, \bin2hex(\random_bytes(8)));
        $numbers = [$calls, (int) \apcu_fetch($this->kept->beside('hits')), $this->kept->size(), $this->kept->bytes()];
        $file = @\fopen("$this->folder/" . \apcu_fetch($id) . '.counts', 'c');
        // The server goes on without counts.
        if ($file !== false) {
            @\fwrite($file, \str_pad(\implode(' ', $numbers), self::LENGTH - 1) . "\n");
            \fclose($file);
        }
    }
}
