<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * `0:memo`: the server's own functions behind a bounded cache of their answers, by encoded arguments. It is correct for
 * a function whose answer depends only on its arguments.
 *
 * Answers are kept encoded, so each caller gets a copy of its own. An error is not kept: the next call may succeed.
 * Concurrent calls do not wait for each other.
 */
final class Memo
{
    private Kept $kept;

    private MemoCounts $counts;

    public function __construct(private Own $own)
    {
        $this->kept = new Kept(self::nameOf($own));
        $this->counts = new MemoCounts($this->kept);
    }

    public function call(int $number, array $arguments): mixed
    {
        try {
            $key = "$number:" . Calls::{"arguments$number"}(...$arguments);
        } catch (\TypeError | \ValueError) {
            // Arguments that Rust would refuse always go to the baseline.
            return ($this->own->functions[$number])(...$arguments);
        }
        $bytes = $this->kept->get($key);
        $this->counts->note($bytes !== null);
        if ($bytes !== null) {
            return Calls::{"readOutput$number"}(new Reader($bytes));
        }
        $answer = ($this->own->functions[$number])(...$arguments);
        try {
            $this->kept->put($key, Calls::{"output$number"}($answer));
        } catch (Mismatch) {
            // An answer that does not fit the signature is returned, but not kept.
        }
        return $answer;
    }

    public function ready(): void
    {
    }

    public function close(): void
    {
    }

    /**
     * The cache outlives the script, and other servers may share it. The name is unique to this package, these
     * functions, and the present version of their files.
     */
    private static function nameOf(Own $own): string
    {
        $parts = [__DIR__, Calls::ABI];
        foreach ($own->functions as $function) {
            $seen = new \ReflectionFunction($function);
            $file = (string) $seen->getFileName();
            $class = $seen->getClosureCalledClass()?->getName();
            \array_push($parts, $class, $seen->getName(), $file, $seen->getStartLine(), $file === '' ? 0 : @\filemtime($file));
        }
        return \hash('xxh128', \serialize($parts));
    }
}
