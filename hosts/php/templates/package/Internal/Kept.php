<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\UnavailableException;

/**
 * The answers that `0:memo` keeps, in the memory that APCu shares between the processes of a server: at most so many, of at most so many
 * bytes. Of a few that are picked at random, the one that was not asked for longest goes first.
 *
 * APCu throws away all that it has, the server's own entries too, when it finds no room for an entry and less than half of its memory is
 * free. Memory that is free in small pieces is no room. So this leaves five eighths of the memory free.
 *
 * Keys: `v` and the arguments has an answer, `s` and a number below the count has [the arguments, the size]. Only the process that has
 * added `lock` changes anything. Another one keeps nothing meanwhile, as nobody waits.
 */
final class Kept
{
    private const MOST_ENTRIES = 1000;

    private const MOST_BYTES = 64 << 20;

    /** The approximate size of an entry without its key, which is there twice, and its value. */
    private const ENTRY_BYTES = 500;

    private const PICKED = 5;

    /** Seconds until a process that was killed is no longer in the way. */
    private const LOCKED = 2;

    private string $prefix;

    private int $mostEntries;

    private ?int $mostBytes;

    public function __construct(string $name)
    {
        $package = Calls::PACKAGE;
        if (!\function_exists('apcu_enabled')) {
            throw new UnavailableException(
                "$package cannot run at tier 0:memo: PHP has not loaded its extension APCu, whose memory outlives a request "
                . '(Debian, Ubuntu: apt-get install php-apcu; elsewhere: pecl install apcu)'
            );
        }
        if (!\apcu_enabled()) {
            $setting = \PHP_SAPI === 'cli' ? 'apc.enable_cli=1' : 'apc.enabled=1';
            throw new UnavailableException("$package cannot run at tier 0:memo: APCu is loaded, but off; set $setting in PHP's configuration");
        }
        $this->prefix = "tierup:$name:";
        $this->mostEntries = Limits::wholeNumber('TIERUP_MEMO_ENTRIES') ?? self::MOST_ENTRIES;
        $this->mostBytes = Limits::wholeNumber('TIERUP_MEMO_BYTES');
    }

    /** The value of a key, or null. */
    public function get(string $key): ?string
    {
        $value = \apcu_fetch($this->prefix . 'v' . $key);

        return \is_string($value) ? $value : null;
    }

    public function put(string $key, string $value): void
    {
        $size = self::ENTRY_BYTES + 2 * \strlen($key) + \strlen($value);
        // Less than what is kept, if the server needs more for itself.
        $most = \min($this->mostBytes ?? self::MOST_BYTES, $this->bytes() + self::free());
        if ($size > $most || !@\apcu_add($this->prefix . 'lock', 1, self::LOCKED)) {
            return;
        }
        try {
            if (\apcu_exists($this->prefix . 'v' . $key)) {
                return;
            }
            // Bounded, should APCu not take the new counts.
            for ($left = $this->size(); $left > 0 && ($this->size() >= $this->mostEntries || $this->bytes() + $size > $most); $left--) {
                $this->drop();
            }
            if ($size > self::free()) {
                return;
            }
            // It counts before it is stored: a process that is killed in between leaves no entry uncounted.
            [$place, $bytes] = [$this->size(), $this->bytes()];
            $this->count($place + 1, $bytes + $size);
            $named = $this->prefix . 's' . $place;
            if (!@\apcu_store($named, [$key, $size]) || !@\apcu_store($this->prefix . 'v' . $key, $value)) {
                \apcu_delete($named);
                $this->count($place, $bytes);
            }
        } finally {
            \apcu_delete($this->prefix . 'lock');
        }
    }

    /** How many answers are kept. */
    public function size(): int
    {
        return $this->counted('entries');
    }

    /** How many bytes are kept. */
    public function bytes(): int
    {
        return $this->counted('bytes');
    }

    /** A key of the same memory for something else. */
    public function beside(string $what): string
    {
        return $this->prefix . $what;
    }

    /** How many bytes more this may take of APCu's memory; below 0 if it should give some back. */
    private static function free(): int
    {
        $memory = \apcu_sma_info(true);
        $all = (int) ($memory['num_seg'] * $memory['seg_size']);

        return (int) $memory['avail_mem'] - ($all - ($all >> 3) * 3);
    }

    /** Drops one, and moves the last one to its place. */
    private function drop(): void
    {
        $count = $this->size();
        $oldest = null;
        for ($number = 0; $number < \min($count, self::PICKED); $number++) {
            // Not by mt_rand(), which the server may have seeded.
            $place = $count <= self::PICKED ? $number : \random_int(0, $count - 1);
            $known = \apcu_fetch($this->prefix . 's' . $place);
            $seen = \is_array($known) ? \apcu_key_info($this->prefix . 'v' . $known[0]) : null;
            // APCu tells times by the second.
            $used = $seen === null ? [0, 0] : [$seen['access_time'], $seen['hits']];
            if ($oldest === null || $used < $oldest[0]) {
                $oldest = [$used, $place, $known];
            }
        }
        [, $place, $known] = $oldest;
        if (\is_array($known)) {
            \apcu_delete($this->prefix . 'v' . $known[0]);
        }
        $last = $this->prefix . 's' . ($count - 1);
        $moved = \apcu_fetch($last);
        if ($place !== $count - 1 && \is_array($moved)) {
            \apcu_store($this->prefix . 's' . $place, $moved);
        }
        \apcu_delete($last);
        $this->count($count - 1, \max(0, $this->bytes() - (\is_array($known) ? $known[1] : 0)));
    }

    private function count(int $entries, int $bytes): void
    {
        \apcu_store($this->prefix . 'entries', $entries);
        \apcu_store($this->prefix . 'bytes', $bytes);
    }

    private function counted(string $what): int
    {
        return (int) \apcu_fetch($this->prefix . $what);
    }
}
