package conformance;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import local.tierup.conformance.Conformance;
import local.tierup.conformance.Metrics;

/** Registers the counts of a binding with Micrometer: {@code new TierupMetrics(rust).bindTo(registry)}. */
record TierupMetrics(Conformance rust) implements MeterBinder {
    @Override
    public void bindTo(MeterRegistry registry) {
        FunctionCounter.builder("tierup.calls", rust, it -> it.metrics().calls()).register(registry);
        FunctionCounter.builder("tierup.errors", rust, it -> it.metrics().errors()).register(registry);
        FunctionCounter.builder("tierup.panics", rust, it -> it.metrics().panics()).register(registry);
        FunctionCounter.builder("tierup.timeouts", rust, it -> it.metrics().timeouts()).register(registry);
        FunctionCounter.builder("tierup.lost", rust, it -> it.metrics().lost()).register(registry);

        Metrics now = rust.metrics();
        Tags tags = Tags.of("package", now.packageName(), "tier", now.tier(), "asked", now.asked(),
                "instead", now.instead(), "abi", now.abi());
        Gauge.builder("tierup.info", () -> 1).tags(tags).register(registry);
    }
}
