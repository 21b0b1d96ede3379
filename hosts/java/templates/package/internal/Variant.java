// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

/** Calls functions. It is used by many threads at a time. */
public interface Variant {
    /** Calls a function with what was written; the answer is to be released. */
    Answer call(int function, Writer arguments);

    /** Returns when no call has to wait for a start. */
    void ready();

    /** Ends what runs; calls that are under way are answered first, but not waited for without end. */
    void close();
}
