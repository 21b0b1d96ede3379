// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

/**
 * {@code 0:memo}: the server's own functions behind a bounded cache of their answers. It is correct for a function
 * whose answer depends only on its arguments. The least recently used answer is evicted first.
 */
public final class Memo extends Around {
    private static final int MOST_ENTRIES = 1000;
    private static final int MOST_BYTES = 64 << 20;

    private final MemoCounts counts;

    /** An empty cache with the bounds that the environment sets. An empty folder counts as unset. */
    public Memo(String folder) {
        this(Limits.wholeNumber("TIERUP_MEMO_ENTRIES"), Limits.wholeNumber("TIERUP_MEMO_BYTES"), folder);
    }

    /** A bound of 0 means the default. */
    Memo(int mostEntries, int mostBytes, String folder) {
        super(mostEntries == 0 ? MOST_ENTRIES : mostEntries, mostBytes == 0 ? MOST_BYTES : mostBytes, true);
        counts = new MemoCounts(folder);
    }

    @Override
    void asked(boolean isKnown, int entries, long bytes) {
        counts.note(isKnown, entries, bytes);
    }
}
