<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * A file of counts in the folder of evidence, with what one request must tell the next. Each PHP process holds one, by
 * a lock that ends with the request or the process, and adds to what was counted there before. So there are no more
 * files than processes at a time, however often these are replaced.
 *
 * The file is a line of evidence (`templates/cli/evidence.rs` of tierup). Its length is fixed, so that it is replaced
 * in place: no reader sees a part of it, and a disk that is full by now has room for it.
 */
final class Counts
{
    private const KINDS = [
        'calls', 'sampled', 'too_large', 'refused', 'dropped', 'shared', 'erred', 'errors', 'panics', 'timeouts', 'lost',
        'pairs', 'ahead', 'behind', 'squares', 'control_ns', 'candidate_ns',
    ];

    private const LENGTH = 2048;

    /** A process first tries the file with its own number modulo this, and then those behind it. */
    private const HOMES = 128;

    private const MOST_TRIED = 512;

    /** Any values that JSON can hold. */
    public array $state = [];

    public ?string $candidate = null;

    /** The first refused function, and why it was refused if values may be kept. */
    public ?string $refusal = null;

    private array $host;

    /** What was counted since the last write. */
    private array $new = [];

    /** @param resource $file */
    private function __construct(private $file, public readonly int $number)
    {
    }

    /** Null if the folder cannot be written in, or others can: a link that they put there could lead to any file. */
    public static function open(string $folder): ?self
    {
        \clearstatcache(true, $folder);
        if (!\is_dir($folder)) {
            \mkdir($folder, 0700, true);
        }
        $found = \stat($folder);
        if ($found === false || ($found['mode'] & 022) !== 0 || \function_exists('posix_geteuid') && $found['uid'] !== \posix_geteuid()) {
            return null;
        }
        $home = \getmypid() % self::HOMES;
        for ($number = $home; $number < $home + self::MOST_TRIED; $number++) {
            $path = "$folder/php-$number-" . Calls::ABI . '-' . \gethostname() . '.jsonl';
            $file = \fopen($path, 'c+e');
            $isHeld = 0;
            $isLocked = $file !== false && \flock($file, \LOCK_EX | \LOCK_NB, $isHeld);
            if (!$isLocked && $isHeld !== 1) {
                return null;
            }
            if ($isLocked && \fstat($file)['nlink'] > 0) {
                $counts = new self($file, $number);
                if ($counts->begin($path)) {
                    return $counts;
                }
                // The disk is full.
                \unlink($path);
                return null;
            }
        }
        return null;
    }

    /** Whether the file is still in the folder. */
    public function isThere(): bool
    {
        return \fstat($this->file)['nlink'] > 0;
    }

    public function add(string $kind, int $by = 1): void
    {
        $this->new[$kind] = ($this->new[$kind] ?? 0) + $by;
    }

    /** Whether the counts were written. What was not stays counted. */
    public function write(): bool
    {
        $host = $this->host;
        foreach ($this->new as $kind => $count) {
            // A file of an older package has fewer kinds.
            $host[$kind] = ($host[$kind] ?? 0) + $count;
        }
        $more = ['php' => $this->state, 'candidate' => $this->candidate, 'refusal' => $this->refusal];
        $line = \json_encode(
            ['abi' => Calls::ABI, 'host' => $host + \array_filter($more, static fn($one) => $one !== null)],
            \JSON_INVALID_UTF8_SUBSTITUTE | \JSON_THROW_ON_ERROR,
        );
        if (!\rewind($this->file) || \strlen($line) >= self::LENGTH || \fwrite($this->file, \str_pad($line, self::LENGTH - 1) . "\n") !== self::LENGTH) {
            return false;
        }
        [$this->host, $this->new] = [$host, []];

        return true;
    }

    private function begin(string $path): bool
    {
        $host = \json_decode((string) \stream_get_contents($this->file), true)['host'] ?? [];
        [$this->state, $this->candidate, $this->refusal] = [$host['php'] ?? [], $host['candidate'] ?? null, $host['refusal'] ?? null];
        unset($host['php'], $host['candidate'], $host['refusal']);
        $this->host = $host;
        if ($host !== []) {
            return true;
        }
        // The number tells threads apart that begin at the same moment.
        $name = ['process' => \getmypid() . "/$this->number", 'began' => (int) (1000 * \microtime(true)), 'machine' => \gethostname()];
        $this->host = $name + \array_fill_keys(self::KINDS, 0);
        \chmod($path, 0600);

        return $this->write();
    }
}
