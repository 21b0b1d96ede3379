// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Messages to the operator, each of which is printed once. */
final class Messages {
    /** The most messages. */
    private static final int MOST = 20;

    private final String head;
    private final Set<String> said = ConcurrentHashMap.newKeySet();
    private final Queue<String> unsaid = new ConcurrentLinkedQueue<>();

    /** {@code head} begins each line. */
    Messages(String head) {
        this.head = head;
    }

    /** Does not print: a pipe that nobody reads would block the caller. */
    void say(String words) {
        if (said.size() < MOST && said.add(words)) {
            unsaid.add(words);
        }
    }

    /** Prints what was said. */
    void print() {
        for (String words = unsaid.poll(); words != null; words = unsaid.poll()) {
            System.err.println(head + words);
        }
    }
}
