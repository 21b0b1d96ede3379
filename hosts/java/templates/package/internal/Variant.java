// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

/** Calls functions. It is used by many threads at a time. */
public interface Variant {
    /** Calls a function with the arguments that were written. The caller releases the answer. */
    Answer call(int function, Writer arguments);

    /** Returns when no call has to wait for a start. */
    void ready();

    /** Frees everything. It waits for running calls, but not for ever. */
    void close();
}
