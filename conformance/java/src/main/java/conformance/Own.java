package conformance;

import java.util.concurrent.atomic.AtomicLong;

import local.tierup.conformance.Functions;

/** Some of the functions in Java, as a server could have them. */
public final class Own implements Functions {
    private static final AtomicLong CALLS = new AtomicLong();

    @Override
    public String echoText(String text) {
        return text;
    }

    @Override
    public byte[] fail(String words) throws Exception {
        throw new Exception(words);
    }

    @Override
    public long countCalls() {
        return CALLS.incrementAndGet();
    }
}
