// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;

/**
 * {@code 0:free}, the ceiling. The baseline is called once for each different list of arguments; from then on its
 * recorded answer, or exception, is replayed. This leaves the server without the function's work.
 */
public final class Recorder extends Around {
    /** The total size of the records. When they exceed it, the oldest are dropped. */
    private static final int MOST_BYTES = 64 << 20;

    private final RecordFile file;

    /** Reads the records in a folder, and adds to them. With an empty name, there is no folder. */
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

    /** Only for this process: another may not be able to read what it refers to. */
    @Override
    void failed(CallKey key, Exception exception) {
        keep(key, new Outcome(new byte[0], exception));
    }
}
