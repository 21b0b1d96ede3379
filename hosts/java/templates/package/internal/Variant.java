// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

/** Calls functions. It is safe for use by many threads. */
public interface Variant {
    /** Calls a function with the written arguments. The caller releases the answer. */
    Answer call(int function, Writer arguments);

    /** Returns once no call has to wait for a start. */
    void ready();

    /** Frees everything. It waits for running calls, but not forever. */
    void close();
}
