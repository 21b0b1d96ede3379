<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * `0:free`: it calls the baseline once for each distinct list of arguments, then replays the recorded answer. The
 * server thus does all its work except the function's.
 *
 * `tierup bench` names a folder in TIERUP_RECORDING. A PHP request remembers nothing, so each answer has a file there.
 */
final class Recorded
{
    /** The most answers that a process keeps in its own memory. */
    private const MOST = 10_000;

    /** @var array<string, string> */
    private array $answers = [];

    private ?string $folder;

    public function __construct(private Own $own)
    {
        $this->folder = \getenv('TIERUP_RECORDING') ?: null;
    }

    public function call(int $number, array $arguments): mixed
    {
        try {
            $key = $number . '-' . \hash('xxh128', Calls::{"arguments$number"}(...$arguments));
        } catch (\TypeError | \ValueError) {
            // Arguments that Rust would refuse always go to the baseline.
            return ($this->own->functions[$number])(...$arguments);
        }
        $bytes = $this->answers[$key] ?? $this->stored($key);
        if ($bytes !== null) {
            return Calls::{"readOutput$number"}(new Reader($bytes));
        }
        $answer = ($this->own->functions[$number])(...$arguments);
        try {
            $this->keep($key, Calls::{"output$number"}($answer));
        } catch (Mismatch) {
            // An answer that does not fit the signature is returned, but not recorded.
        }
        return $answer;
    }

    public function ready(): void
    {
    }

    public function close(): void
    {
        $this->answers = [];
    }

    private function stored(string $key): ?string
    {
        $bytes = $this->folder === null ? false : @\file_get_contents("$this->folder/$key.php-answer");

        return $bytes === false ? null : $bytes;
    }

    private function keep(string $key, string $bytes): void
    {
        if ($this->folder === null) {
            if (\count($this->answers) >= self::MOST) {
                unset($this->answers[\array_key_first($this->answers)]);
            }
            $this->answers[$key] = $bytes;
            return;
        }
        // Renaming the file ensures that no other process reads half an answer.
        @\mkdir($this->folder, 0777, true);
        $file = "$this->folder/$key.php-answer";
        $own = $file . '.' . \getmypid();
        if (@\file_put_contents($own, $bytes) === \strlen($bytes)) {
            @\rename($own, $file);
        }
    }
}
