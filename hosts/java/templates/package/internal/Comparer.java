// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.nio.channels.SocketChannel;
import java.util.function.BooleanSupplier;

/** Connects a rollout to processes that compare its calls. */
interface Comparer {
    /** A connection that does not block, to such a process, which has answered the request for it. */
    SocketChannel connect(byte[] request, BooleanSupplier isOver);

    void close();
}
