// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

/**
 * {@code 0:memo}: the server's own functions behind a bounded cache of their answers. It is right for a function whose answer
 * depends on nothing but its arguments. The answer that was not asked for longest goes first.
 */
public final class Memo extends Around {
    private static final int MOST_ENTRIES = 1000;
    private static final int MOST_BYTES = 64 << 20;

    private final MemoCounts counts;

    /** An empty one with the bounds that the environment sets. An empty folder counts as unset. */
    public Memo(String folder) {
        this(Limits.wholeNumber("TIERUP_MEMO_ENTRIES"), Limits.wholeNumber("TIERUP_MEMO_BYTES"), folder);
    }

    /** A bound of 0 is the default. */
    Memo(int mostEntries, int mostBytes, String folder) {
        super(mostEntries == 0 ? MOST_ENTRIES : mostEntries, mostBytes == 0 ? MOST_BYTES : mostBytes, true);
        counts = new MemoCounts(folder);
    }

    @Override
    void asked(boolean isKnown, int entries, long bytes) {
        counts.note(isKnown, entries, bytes);
    }
}
