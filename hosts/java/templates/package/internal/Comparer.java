// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.nio.channels.SocketChannel;
import java.util.function.BooleanSupplier;

/** Connects a rollout to processes that compare its calls. */
interface Comparer {
    /** A non-blocking connection to a process that compares calls. The process has accepted the request. */
    SocketChannel connect(byte[] request, BooleanSupplier isOver);

    void close();
}
