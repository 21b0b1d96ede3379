<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\CallException;
use {{namespace}}\CallTimeoutException;
use {{namespace}}\PanicException;
use {{namespace}}\TransportException;

/** An answer: one byte that says how the call ended, then the value or a message. */
final class Answer
{
    /** Returns the reader of the value, or throws the answer's error. */
    public static function read(string $bytes): Reader
    {
        $from = new Reader($bytes);
        $tag = $from->u8();
        if ($tag === 0) {
            return $from;
        }
        $message = $from->text();
        $from->finish();
        throw match ($tag) {
            1 => new CallException($message),
            2 => new PanicException($message),
            // The value passes the checks in PHP, but Rust refuses it.
            3 => new \ValueError($message),
            // Only the sandbox ends calls by itself.
            4 => new CallTimeoutException($message),
            default => new TransportException("cannot read an answer: it begins with $tag"),
        };
    }
}
