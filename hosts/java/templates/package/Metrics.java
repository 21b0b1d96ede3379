// Made by tierup; the same in every package. Do not edit.
package {{package}};

/**
 * What a {@link Binding} runs, and what became of its calls since it was loaded.
 *
 * @param packageName the package's name
 * @param tier the tier that runs, e.g. {@code 3:native}
 * @param asked what TIERUP_TIER or {@link Options#tier} asked for; empty if neither did
 * @param instead why another tier runs than the one to expect: TIERUP_FALLBACK, or no variant is built; otherwise empty
 * @param abi the hash of the interface
 * @param calls all calls, also those whose arguments were refused
 * @param errors calls in which the function itself failed: a {@link CallException}, and at tier 0 also an {@link Error}
 * @param panics calls that ended in a {@link PanicException}
 * @param timeouts calls that ended in a {@link CallTimeoutException}
 * @param lost calls that ended in any other {@link TransportException}
 */
public record Metrics(
        String packageName, String tier, String asked, String instead, String abi,
        long calls, long errors, long panics, long timeouts, long lost) {}
