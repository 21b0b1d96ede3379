<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

/**
 * Sends calls to a process that compares them with the candidate's answers. A call is sent at once or not at all: it
 * waits for nothing. In a server, PHP keeps the connection for the next request.
 */
final class Shadow
{
    // Numbers of the protocol: see docs/byte-abi.md of tierup.
    private const SHADOW = 0x7ffffffe;

    private const COUNTS = 0x7ffffffd;

    private const KEEP = 0x40000000;

    /** Seconds until a companion is started once more, and until a lost or a refused connection is made anew. */
    private const STARTED = 2;

    private const LOST = 1;

    private const REFUSED = 60;

    /** @var resource|null */
    private $stream = null;

    /** The part of a frame that the system has not taken yet. */
    private string $rest = '';

    private bool $isGreeted = false;

    private bool $wantsStart = false;

    private string $program;

    private string $socket;

    /** A forked child must not write into this process's connection. */
    private int $owner;

    /** The connection's path: a link to the socket, because PHP keeps one connection for each path. */
    private string $link;

    public function __construct(private string $folder)
    {
        $this->owner = (int) \getmypid();
        $this->program = Sockets::program();
        $this->socket = Sockets::path($this->program);
        $this->link = Place::folder() . '/' . \substr(\hash('sha256', "$this->socket $folder"), 0, 16) . '.shadow';
    }

    /** Connects if there is no connection. The answer comes later. */
    public function connect(): void
    {
        if ($this->stream !== null || self::isPaused("$this->link.pause")) {
            return;
        }
        \is_link($this->link) || \symlink($this->socket, $this->link);
        $stream = Sockets::opened($this->link, \STREAM_CLIENT_ASYNC_CONNECT);
        $this->wantsStart = $stream === null;
        if ($stream === null) {
            return;
        }
        $this->stream = $stream;
        // PHP counts a connection's bytes across requests, so only a new connection has none.
        if (\ftell($stream) === 0) {
            \stream_set_blocking($stream, false);
            $this->push(\pack('VV', 4 + \strlen($this->folder), self::SHADOW) . $this->folder);
        }
    }

    /** Whether a connection is there whose other end is ready. */
    public function isReady(): bool
    {
        if ($this->stream === null || $this->owner !== \getmypid() || $this->isGreeted) {
            return $this->stream !== null && $this->owner === \getmypid();
        }
        // Nobody ever reads it, so that each request of a kept connection finds it: the hash, and an empty answer.
        $right = \strrev((string) \hex2bin(Calls::ABI)) . "\0\0\0\0";
        $found = \stream_socket_recvfrom($this->stream, \strlen($right), \STREAM_PEEK);
        if (\is_string($found) && ($found === '' || !\str_starts_with($right, $found))) {
            $this->lose($found === '' ? self::LOST : self::REFUSED);
        }
        return $this->isGreeted = $found === $right;
    }

    /** Whether a call could be sent. Its values may be kept if the answers differ. */
    public function send(int $number, string $arguments, string $answer, bool $mayBeKept): bool
    {
        if (!$this->isReady() || !$this->push('')) {
            return false;
        }
        $content = \pack('VV', $number + ($mayBeKept ? self::KEEP : 0), \strlen($arguments)) . $arguments . $answer;

        return $this->push(\pack('V', \strlen($content)) . $content) || $this->rest !== '';
    }

    /** Once a second: has the other end write what it has compared. Starts a companion if none listens. */
    public function tick(): void
    {
        // This process's own counts are elsewhere (`Counts`).
        if ($this->isReady() && $this->push('')) {
            $this->push(\pack('VV', 6, self::COUNTS) . '{}');
        }
        if ($this->wantsStart && (string) \getenv('TIERUP_POOL_SOCKET') === '' && !self::isPaused("$this->link.start")) {
            \touch("$this->link.start", \time() + self::STARTED);
            Sockets::startAside($this->program, $this->socket);
        }
    }

    /** At the end of a request: the next one cannot know the rest of a frame. Returns whether a call is lost so. */
    public function end(): bool
    {
        $this->push('');
        $isLost = $this->rest !== '';
        if ($isLost) {
            $this->lose(self::LOST);
        }
        return $isLost;
    }

    /** Whether the system has taken everything. */
    private function push(string $frame): bool
    {
        $frame = $this->rest . $frame;
        if ($this->stream === null || $frame === '') {
            return $this->stream !== null;
        }
        $count = \fwrite($this->stream, $frame);
        if ($count === false) {
            $this->lose(self::LOST);
            return false;
        }
        // A frame of which nothing was taken is not sent.
        $this->rest = $count === 0 && $this->rest === '' ? '' : \substr($frame, $count);

        return $count === \strlen($frame);
    }

    /** Whether a file says so, for all processes of the server: by the time until which it holds. */
    private static function isPaused(string $path): bool
    {
        \clearstatcache(true, $path);

        return \is_file($path) && \filemtime($path) > \time();
    }

    private function lose(int $pause): void
    {
        \fclose($this->stream);
        [$this->stream, $this->rest, $this->isGreeted] = [null, '', false];
        \touch($this->link . '.pause', \time() + $pause);
    }
}
