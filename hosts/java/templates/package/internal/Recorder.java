// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;

/**
 * {@code 0:free}, the ceiling. It calls the baseline once for each distinct list of arguments, then replays the
 * recorded answer or exception. The server thus does all its work except the function's.
 */
public final class Recorder extends Around {
    /** The limit for all records together. Beyond it, the oldest are dropped. */
    private static final int MOST_BYTES = 64 << 20;

    private final RecordFile file;

    /** Reads the records in a folder and appends to them. An empty name means no folder. */
    public Recorder(String folder) {
        super(Integer.MAX_VALUE, MOST_BYTES, false);
        try {
            file = folder == null || folder.isEmpty()
                    ? null
                    : new RecordFile(folder, (function, arguments, value) -> keep(new CallKey(function, arguments), new Outcome(value, null)));
        } catch (IOException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "TIERUP_RECORDING: " + Failure.words(e), e);
        }
    }

    @Override
    void answered(CallKey key, byte[] value) {
        super.answered(key, value);
        if (file != null) {
            file.add(key.function(), key.arguments(), value);
        }
    }

    /** Keeps it only in this process: another one may lack the values that it refers to. */
    @Override
    void failed(CallKey key, Exception exception) {
        keep(key, new Outcome(new byte[0], exception));
    }
}
