/**
 * The functions at one tier: the one that TIERUP_TIER names, otherwise the best that was built and that this PHP can
 * load.
 *
 * @param callable|object|string|array<string, callable>|null $baseline tier 0, the server's own: a function, where there is
 *     only one; an object, or a class's name, with methods of the same names; functions by name
 * @param array<string, mixed> $baselines other baselines by label: 'tuned' is run as tier 0:tuned
 * @param string|null $tier what to run instead of what TIERUP_TIER says, e.g. '3:native'
 *
 * @throws UnavailableException if that tier cannot run here
 */
final public static function with(mixed $baseline = null, array $baselines = [], ?string $tier = null): self
{
    return Internal\Tiers::choose($baseline, $baselines, $tier);
}

/** The tier that runs, e.g. `3:native`. */
abstract public function tier(): string;

/** Returns when no call has to wait for a start. */
abstract public function ready(): void;

/** Frees what this binding uses. */
abstract public function close(): void;

/**
 * Makes the golden call of `[health]` in `tierup.toml`.
 *
 * @throws HealthException if its answer is wrong
 */
final public function checkHealth(): void
{
    Internal\Health::check($this);
}
