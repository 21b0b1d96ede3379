<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\CallTimeoutException;
use {{namespace}}\TransportException;

/** `1:spawn`: each call runs the program anew, with the arguments on its standard input. */
final class Spawn implements Variant
{
    private string $program;

    private ?float $seconds;

    public function __construct()
    {
        $this->program = Built::program();
        $this->seconds = Limits::call();
    }

    public function call(int $number, string $arguments): string
    {
        $process = new Process([$this->program, '--tierup-call', (string) $number, Calls::ABI]);
        $flight = InFlight::begin($process->kill(...));
        try {
            $stream = new Stream($process->input, $process->output, $this->seconds);
            $isWritten = $stream->write($arguments);
            \fclose($process->input);
            $answer = match ($isWritten) {
                true => $stream->readAll(),
                false => '',
                null => null,
            };
            if ($answer === null) {
                throw new CallTimeoutException("the call took longer than $this->seconds s (TIERUP_CALL_TIMEOUT): its process was ended");
            }
            if ($answer === '') {
                $lost = new TransportException($process->ended());
                $this->program = Built::insteadOf($this->program) ?? throw $lost;

                return $this->call($number, $arguments);
            }
            $code = $process->close();
            if ($code > 0) {
                throw new TransportException("$this->program ended with code $code in the middle of its answer");
            }
            return $answer;
        } finally {
            $process->kill();
            InFlight::end($flight);
        }
    }

    public function ready(): void
    {
    }

    public function close(): void
    {
    }
}
