<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\Rust;

/**
 * A rollout inside the process. TIERUP_ROLLOUT names a control file, which sets the share of calls that is compared with
 * a candidate (shadow), and the share that it answers (share). The control, i.e. the chosen tier, answers all other
 * calls, and all calls without a valid file. Only functions that tierup.toml declares pure take part.
 *
 * PHP has no thread that could read the file: the first call of a request does, and then one each second. What must
 * outlive a request is in a file (`Counts`).
 */
final class Rollout
{
    /** After this many deaths in a call of the candidate, no process calls it. */
    private const MOST_DEATHS = 2;

    /** The candidate gets no more calls if more than MOST_FAILED of BLOCK calls panic, time out or get lost. */
    private const BLOCK = 100;

    private const MOST_FAILED = 50;

    /** Each message is printed once, and at most this many are. */
    private const MOST_SAID = 20;

    /** How long `ready()` waits for the process that compares, in seconds. */
    private const PATIENCE = 5;

    /** @var array<string, self> by the file's path */
    private static array $all = [];

    /** @var array<string, true> */
    private static array $said = [];

    public ?Counts $counts = null;

    public ?Mark $mark = null;

    public ?Shadow $shadow = null;

    private ?Control $now = null;

    private string $folder;

    /** The process that all of this belongs to: a forked child has only copies. */
    private int $process = 0;

    /** Connections of a process that has forked this one. Freeing them could end them. */
    private array $foreign = [];

    private int $next = 0;

    /** Whether the functions that run at the end of a request are registered, and whether they have run. */
    private bool $isWatched = false;

    private bool $isOver = false;

    /** The server may have seeded PHP's own generator. */
    private \Random\Randomizer $random;

    private function __construct(private string $path)
    {
        $this->folder = "$path.evidence";
        $this->random = new \Random\Randomizer(new \Random\Engine\Xoshiro256StarStar());
    }

    /** @param string $path of the control file */
    public static function around(Rust $control, string $path): Rust
    {
        $path = $path[0] === '/' ? $path : \getcwd() . "/$path";

        return new Rolled($control->tier(), new Roll($control, self::$all[$path] ??= new self($path)));
    }

    /** The control file, if it concerns calls of a binding at this tier; the caller must count its call. */
    public function inForce(string $tier): ?Control
    {
        $time = \hrtime(true);
        if ($time >= $this->next || $this->process !== \getmypid()) {
            $this->next = $time + 1_000_000_000;
            Quiet::run($this->look(...), $this->leave(...));
        }
        return $this->now === null || $this->now->candidate === $tier ? null : $this->now;
    }

    /** Whether the candidate gets a call. */
    public function isShared(Control $now, int $number, array $arguments): bool
    {
        if ($now->variant === null) {
            return false;
        }
        if (!$now->isByInput) {
            return $this->isChosen($now->share);
        }
        $encoded = Quiet::run(static fn() => Copies::arguments($number, $arguments));
        if ($encoded === null) {
            return false;
        }
        $digest = \hash_hmac('sha256', "$number $encoded", $now->key ?? $this->counts->state['key'], true);

        return \unpack('V', $digest)[1] < $now->share * 2 ** 32;
    }

    public function isSampled(Control $now): bool
    {
        return $now->shadow > 0 && $this->isChosen($now->shadow);
    }

    /** Counts a call of the candidate. If too many have failed, the control answers until the file changes. */
    public function ended(Control $now, bool $isFailure): void
    {
        $state = &$this->counts->state;
        $state['failed'] += (int) $isFailure;
        if (++$state['block'] < self::BLOCK) {
            return;
        }
        if ($state['failed'] > self::MOST_FAILED && $now->variant !== null) {
            $state['gaveUp'] = $now->identity;
            $now->variant = null;
            self::say("$state[failed] of " . self::BLOCK . " calls failed at $now->candidate, so the control answers until the control file changes");
        }
        [$state['block'], $state['failed']] = [0, 0];
    }

    /** Waits some seconds until calls can be compared. */
    public function ready(): void
    {
        $this->next = 0;
        $this->inForce('');
        for ($end = \hrtime(true) + self::PATIENCE * 1_000_000_000; ($this->now?->shadow ?? 0) > 0 && \hrtime(true) < $end;) {
            if (Quiet::run(fn() => $this->shadow?->connect() ?? $this->tick() ?? $this->shadow?->isReady()) === true) {
                break;
            }
            \usleep(5000);
        }
    }

    /** Reads the control file. */
    private function look(): void
    {
        if ($this->process !== \getmypid()) {
            $this->foreign[] = [$this->shadow, $this->counts, $this->mark];
            [$this->shadow, $this->counts, $this->mark, $this->now] = [null, null, null, null];
            $this->process = (int) \getmypid();
        }
        $this->tick();
        $this->mark?->correct();
        $this->counts?->write();
        $control = Control::read($this->path);
        if ($control->until <= \microtime(true)) {
            throw new \UnexpectedValueException('its judge has not renewed it: `until` is over');
        }
        if ($control->identity !== $this->now?->identity) {
            $this->now = null;
            $this->check($control);
        }
        if ($control->shadow === 0.0 && $control->share === 0.0 || $this->isOver) {
            return;
        }
        if (!$this->counts?->isThere()) {
            $this->counts = Counts::open($this->folder)
                ?? throw new \UnexpectedValueException("nothing can be counted in $this->folder, which only its user may write in");
            $this->mark = null;
        }
        $this->watch();
        $state = &$this->counts->state;
        $state += ['key' => \bin2hex(\random_bytes(16)), 'of' => '', 'block' => 0, 'failed' => 0, 'gaveUp' => '', 'ticked' => 0];
        if ($state['of'] !== $control->identity) {
            [$state['of'], $state['block'], $state['failed']] = [$control->identity, 0, 0];
            $this->counts->candidate = $control->candidate;
            $this->sayWhatIsNotPure();
        }
        if (!$control->keepsValues && $this->counts->refusal !== null) {
            $this->counts->refusal = \explode(':', $this->counts->refusal)[0];
        }
        $control->variant = $control->share > 0 ? $this->variant($control) : null;
        if ($control->shadow > 0) {
            $this->shadow ??= new Shadow($this->folder);
            $this->shadow->connect();
            if (Place::isProgram()) {
                $this->tick();
            }
        }
        $this->now = $control;
    }

    private function check(Control $control): void
    {
        if (Calls::PURE === []) {
            throw new \UnexpectedValueException('tierup.toml declares no function pure (`pure` of [function])');
        }
        if (!\in_array($control->candidate, Tiers::BEST_FIRST, true)) {
            throw new \UnexpectedValueException("`candidate` must be a variant in Rust, such as 3:native, got `$control->candidate`");
        }
    }

    private function sayWhatIsNotPure(): void
    {
        $others = \array_values(\array_diff_key(Calls::NAMES, \array_flip(Calls::PURE)));
        if ($others !== []) {
            $more = \count($others) > 3 ? ' and ' . \count($others) - 3 . ' more' : '';
            self::say('the control answers every call of ' . \implode(', ', \array_slice($others, 0, 3)) . "$more, which tierup.toml does not declare pure");
        }
    }

    /** What answers the candidate's share; null if it must not answer. */
    private function variant(Control $control): ?Rust
    {
        if ($this->counts->state['gaveUp'] === $control->identity) {
            return null;
        }
        // Only code in this process can end it.
        if ($control->candidate[0] === '3' && !$this->isWatchedFor($control)) {
            return null;
        }
        return $this->now?->variant ?? Tiers::load($control->candidate, []);
    }

    /** Whether deaths in the candidate's calls will be noticed, and have been few. */
    private function isWatchedFor(Control $control): bool
    {
        $name = \trim("$control->candidate $control->generation");
        $isNew = false;
        try {
            if ($this->mark?->name !== $name || !$this->mark->isThere()) {
                $this->mark = new Mark($this->folder, $name, $this->counts->number);
                $isNew = $this->mark->open();
            }
        } catch (\UnexpectedValueException $failure) {
            $this->mark = null;
            self::say("the control answers, as nobody would learn that a call of $control->candidate ended the process: " . $failure->getMessage());
            return false;
        }
        // A new process looks. One that began before the deaths does so once a second.
        $state = &$this->counts->state;
        if ($isNew || ($state['deaths'][0] ?? '') !== $name || $state['deaths'][1] !== \time()) {
            $state['deaths'] = [$name, \time(), $this->mark->deaths()];
        }
        $deaths = $state['deaths'][2];
        if ($deaths >= self::MOST_DEATHS) {
            self::say("$deaths processes died in a call of $control->candidate ($this->folder/*.died), so the control answers until `generation` is another one");
        }
        return $deaths < self::MOST_DEATHS;
    }

    private function leave(\Throwable $failure): void
    {
        $this->now = null;
        self::say("$this->path is not obeyed, so the control answers every call: " . $failure->getMessage());
    }

    private function tick(): void
    {
        if ($this->shadow !== null) {
            $this->shadow->tick();
            $this->counts->state['ticked'] = \time();
        }
    }

    private function isChosen(float $part): bool
    {
        return $this->random->getInt(0, 0xffffffff) < $part * 2 ** 32;
    }

    /** Functions that the server registers later, and calls in them, come before `end`. */
    private function watch(): void
    {
        if (!$this->isWatched) {
            $this->isWatched = true;
            \register_shutdown_function(fn() => \register_shutdown_function(Quiet::run(...), $this->end(...)));
        }
    }

    /** The end of a request or of a program. */
    private function end(): void
    {
        if ($this->process !== \getmypid()) {
            return;
        }
        [$this->isOver, $this->now] = [true, null];
        if ($this->mark?->end(Place::isProgram())) {
            $this->counts->add('lost');
        }
        if ($this->counts->state['ticked'] !== \time()) {
            $this->tick();
        }
        if ($this->shadow?->end()) {
            $this->counts->add('dropped');
        }
        $this->counts->write();
    }

    /** Prints a message once: in a server, once for all its requests. */
    private static function say(string $words): void
    {
        if (isset(self::$said[$words]) || \count(self::$said) >= self::MOST_SAID) {
            return;
        }
        self::$said[$words] = true;
        Quiet::run(static function () use ($words): void {
            // `folder` throws where nothing can be remembered: each request would print the message.
            if (Place::isProgram() || Place::folder() !== '' && Place::isFirst('rollout-' . \hash('xxh64', $words))) {
                Tiers::say(Calls::PACKAGE . ": TIERUP_ROLLOUT: $words");
            }
        });
    }
}
