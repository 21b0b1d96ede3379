package conformance;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import local.tierup.conformance.Functions;
import local.tierup.conformance.Point;

/** Some of the functions in Java, as a server could have them. They count their calls. */
public final class Own implements Functions {
    private static final AtomicLong CALLS = new AtomicLong();

    private static <T> T echo(T value) {
        CALLS.incrementAndGet();
        return value;
    }

    @Override
    public String echoText(String text) {
        return echo(text);
    }

    @Override
    public List<String> echoTexts(List<String> values) {
        return echo(values);
    }

    @Override
    public Optional<String> echoOptionText(Optional<String> value) {
        return echo(value);
    }

    @Override
    public Point echoPoint(Point point) {
        return echo(point);
    }

    @Override
    public String echoOwnedText(String text) {
        return echo(text);
    }

    @Override
    public void doNothing() {
        echo(null);
    }

    @Override
    public byte[] fail(String words) throws Exception {
        throw new Exception(echo(words));
    }

    @Override
    public long countCalls() {
        return CALLS.get();
    }
}
