<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\UnavailableException;

/**
 * The answers that `0:memo` keeps, in the memory that APCu shares between a server's processes. Both their number and
 * their bytes are bounded. Of a few picked at random, the least recently used is evicted.
 *
 * If APCu has no room for an entry and less than half of its memory is free, it drops all entries, the server's own
 * too. Free memory in small pieces does not count as room. So this leaves five eighths of the memory free.
 *
 * Keys: `v` and the arguments has an answer; `s` and a number below the count has [the arguments, the size]. Only the
 * process that has added `lock` changes anything. Other processes do not wait for it, and keep nothing meanwhile.
 */
final class Kept
{
    private const MOST_ENTRIES = 1000;

    private const MOST_BYTES = 64 << 20;

    /** The approximate size of an entry without its value and its key, which is stored twice. */
    private const ENTRY_BYTES = 500;

    private const PICKED = 5;

    /** Seconds after which the lock of a killed process expires. */
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
        // This is less than what is kept if the server needs more memory itself.
        $most = \min($this->mostBytes ?? self::MOST_BYTES, $this->bytes() + self::free());
        if ($size > $most || !@\apcu_add($this->prefix . 'lock', 1, self::LOCKED)) {
            return;
        }
        try {
            if (\apcu_exists($this->prefix . 'v' . $key)) {
                return;
            }
            // The loop is bounded in case APCu does not take the new counts.
            for ($left = $this->size(); $left > 0 && ($this->size() >= $this->mostEntries || $this->bytes() + $size > $most); $left--) {
                $this->drop();
            }
            if ($size > self::free()) {
                return;
            }
            // The entry is counted before it is stored: if the process is killed in between, no entry is uncounted.
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

    /** The number of kept answers. */
    public function size(): int
    {
        return $this->counted('entries');
    }

    /** The size of all kept answers, in bytes. */
    public function bytes(): int
    {
        return $this->counted('bytes');
    }

    /** A key in the same memory for another purpose. */
    public function beside(string $what): string
    {
        return $this->prefix . $what;
    }

    /** How many more bytes this may take of APCu's memory. Below 0 if it should give some back. */
    private static function free(): int
    {
        $memory = \apcu_sma_info(true);
        $all = (int) ($memory['num_seg'] * $memory['seg_size']);

        return (int) $memory['avail_mem'] - ($all - ($all >> 3) * 3);
    }

    /** Drops an answer, and moves the last one to its place. */
    private function drop(): void
    {
        $count = $this->size();
        $oldest = null;
        for ($number = 0; $number < \min($count, self::PICKED); $number++) {
            // mt_rand() may have been seeded by the server.
            $place = $count <= self::PICKED ? $number : \random_int(0, $count - 1);
            $known = \apcu_fetch($this->prefix . 's' . $place);
            $seen = \is_array($known) ? \apcu_key_info($this->prefix . 'v' . $known[0]) : null;
            // APCu's times are in seconds, so hits decide between equal ones.
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
