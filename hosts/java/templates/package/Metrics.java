// Made by tierup; the same in every package. Do not edit.
package {{package}};

/**
 * What a {@link Binding} runs, and how its calls have ended since it was loaded.
 *
 * @param packageName the package's name
 * @param tier the tier that runs, e.g. {@code 3:native}
 * @param asked the tier that TIERUP_TIER or {@link Options#tier} named; empty if neither did
 * @param instead why an unexpected tier runs: TIERUP_FALLBACK, or no variant is built; otherwise empty
 * @param abi the hash of the interface
 * @param calls all calls, including those whose arguments were refused
 * @param errors calls in which the function itself failed: a {@link CallException}, or at tier 0 an {@link Error}
 * @param panics calls that ended in a {@link PanicException}
 * @param timeouts calls that ended in a {@link CallTimeoutException}
 * @param lost calls that ended in any other {@link TransportException}
 */
public record Metrics(
        String packageName, String tier, String asked, String instead, String abi,
        long calls, long errors, long panics, long timeouts, long lost) {}
