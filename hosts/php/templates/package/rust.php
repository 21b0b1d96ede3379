protected int $tierupCalls = 0;

/** @var array<string, int> */
private array $tierupFailures = ['errors' => 0, 'panics' => 0, 'timeouts' => 0, 'lost' => 0];

private string $tierupAsked = '';

private string $tierupInstead = '';

/**
 * The functions at the tier that TIERUP_TIER names, or at the best tier that was built and that this PHP can load.
 *
 * @param callable|object|string|array<string, callable>|null $baseline tier 0, the server's own: a function, if there
 * is
 *     only one; an object, or a class's name, with methods of the same names; functions by name
 * @param array<string, mixed> $baselines further baselines by label: 'tuned' runs as tier 0:tuned
 * @param string|null $tier the tier to run instead of the one that TIERUP_TIER names, e.g. '3:native'
 *
 * @throws UnavailableException if that tier cannot run here
 */
final public static function with(mixed $baseline = null, array $baselines = [], ?string $tier = null): self
{
    [$rust, $asked, $instead] = Internal\Tiers::choose($baseline, $baselines, $tier);
    $rust->tierupAsked = $asked;
    $rust->tierupInstead = $instead;

    return $rust;
}

/** The tier that runs, e.g. `3:native`. */
abstract public function tier(): string;

/** Returns once no call has to wait for a start. */
abstract public function ready(): void;

/** Frees the resources of this binding. */
abstract public function close(): void;

/**
 * What runs and why, and how this binding's calls in this request have ended. `asked` is the tier that TIERUP_TIER or
 * `$tier` named; `instead` says why an unexpected tier runs. Calls that PHP refuses by declared types do not count. At
 * `2:core` and `3:native`, calls with only text and bytes count for all bindings of the request at that tier.
 *
 * @return array{package: string, tier: string, asked: string, abi: string, instead: string, calls: int, errors: int,
 *     panics: int, timeouts: int, lost: int}
 */
final public function metrics(): array
{
    return [
        'package' => Internal\Calls::PACKAGE,
        'tier' => $this->tier(),
        'asked' => $this->tierupAsked,
        'abi' => Internal\Calls::ABI,
        'instead' => $this->tierupInstead,
        'calls' => $this->tierupCalls(),
        ...$this->tierupFailures,
    ];
}

/**
 * Makes the golden call of `[health]` in `tierup.toml`.
 *
 * @throws HealthException if its answer is wrong
 */
final public function checkHealth(): void
{
    Internal\Health::check($this);
}

/** @internal */
protected function tierupCalls(): int
{
    return $this->tierupCalls;
}

/** Counts a failed call by its kind.\N\N@internal */
final protected function tierupFailed(\Throwable $failure): \Throwable
{
    $count = match (true) {
        $failure instanceof CallException => 'errors',
        $failure instanceof PanicException => 'panics',
        $failure instanceof CallTimeoutException => 'timeouts',
        $failure instanceof TransportException => 'lost',
        $failure instanceof UnavailableException => null,
        // At tier 0, any other exception is the server's own. In Rust, it means refused arguments.
        default => \str_starts_with($this->tier(), '0') ? 'errors' : null,
    };
    if ($count !== null) {
        ++$this->tierupFailures[$count];
    }
    return $failure;
}
