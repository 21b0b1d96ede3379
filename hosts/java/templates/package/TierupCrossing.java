// Made by tierup; the same in every package. Do not edit.
package {{package}};

import {{package}}.internal.Answer;
import {{package}}.internal.Failure;
import {{package}}.internal.Kept;
import {{package}}.internal.Reader;
import {{package}}.internal.Unreadable;
import {{package}}.internal.Variant;
import {{package}}.internal.Writer;

import java.util.function.Function;

/** One call to Rust: its arguments, then its answer. */
final class TierupCrossing {
    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int PANICKED = 2;
    private static final int REFUSED = 3;

    private static final Kept<TierupCrossing> CROSSINGS = new Kept<>(TierupCrossing::new);

    final Writer to = new Writer();
    private final Reader from = new Reader();

    /** A crossing, to which the arguments are written next. */
    static TierupCrossing begin() {
        TierupCrossing crossing = CROSSINGS.take();
        crossing.to.reset();
        return crossing;
    }

    /** Makes the call and reads its answer. */
    <T> T end(Binding binding, int function, Function<Reader, T> read) {
        try {
            return end(binding.variant, function, read);
        } catch (RustException e) {
            binding.counts.failed(e);
            throw e;
        }
    }

    private <T> T end(Variant variant, int function, Function<Reader, T> read) {
        Answer answer;
        try {
            answer = variant.call(function, to);
        } catch (Failure failure) {
            throw known(failure);
        }
        try {
            from.reset(answer.bytes());
            int tag = from.u8();
            if (tag == OK) {
                T value = read.apply(from);
                from.finish();
                return value;
            }
            String message = from.text();
            from.finish();
            throw ended(tag, function, message);
        } catch (Unreadable problem) {
            throw unreadable(function, problem.getMessage());
        } finally {
            from.reset(null);
            answer.release();
            CROSSINGS.give(this);
        }
    }

    private static RuntimeException ended(int tag, int function, String message) {
        return switch (tag) {
            case FAILED -> new CallException(message, null);
            case PANICKED -> new PanicException(message, null);
            // Only one value passes the checks here and is refused in Rust: a size that 32-bit Wasm cannot hold.
            case REFUSED -> new IllegalArgumentException(TierupInterface.FUNCTIONS.get(function) + ": " + message);
            default -> unreadable(function, tag + " is not a valid first byte of an answer");
        };
    }

    private static TransportException unreadable(int function, String problem) {
        return new TransportException(
                "cannot read the answer of " + TierupInterface.FUNCTIONS.get(function) + ": " + problem, null);
    }

    /** The public exception for a failure. */
    static RustException known(Failure failure) {
        String message = failure.getMessage();
        return switch (failure.kind()) {
            case PANIC -> new PanicException(message, failure.getCause());
            case TIMEOUT -> new CallTimeoutException(message, failure.getCause());
            case TRANSPORT -> new TransportException(message, failure.getCause());
            case UNAVAILABLE -> new UnavailableException(message, failure.getCause());
        };
    }
}
