// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/** What is put around the server's own functions. */
public interface Around {
    /** Answers a call, which it may make. */
    <T> T call(int function, Consumer<Writer> arguments, Callable<T> call, BiConsumer<Writer, T> write,
            Function<Reader, T> read) throws Exception;
}
