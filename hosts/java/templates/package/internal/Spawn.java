// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * {@code 1:spawn}: the program is run anew for each call, with the arguments on its standard input. Linux kills a
 * process when the thread that started it ends, which carriers of virtual threads may: so the threads are our own. More
 * calls at once than there are wait.
 */
public final class Spawn implements Variant {
    private final Program program;
    private final String abi;
    private final ExecutorService threads;

    public Spawn(String name, long abi) {
        this.program = Program.open(name);
        this.abi = String.format("%016x", abi);
        int atOnce = Math.max(16, 4 * Processors.available());
        threads = Executors.newFixedThreadPool(atOnce, Threads.named("tierup-spawn"));
    }

    @Override
    public Answer call(int function, Writer arguments) {
        Threads.needStack();
        Future<byte[]> answer;
        try {
            answer = threads.submit(() -> run(function, arguments));
        } catch (RejectedExecutionException e) {
            throw new Failure(Failure.Kind.TRANSPORT, program.name() + " is closed");
        }
        return Answer.of(Threads.joined(answer));
    }

    private byte[] run(int function, Writer arguments) throws IOException, InterruptedException {
        Process process = program.start("--tierup-call", Integer.toString(function), abi);
        try {
            try (OutputStream input = process.getOutputStream()) {
                input.write(arguments.frame(), Writer.ROOM, arguments.length() - Writer.ROOM);
            } catch (IOException e) {
                // It reads everything before it answers. One that ends before tells by its exit code why.
            }
            byte[] answer = process.getInputStream().readAllBytes();
            if (process.waitFor() != 0) {
                throw program.ending(process);
            }
            return answer;
        } finally {
            // It has ended, unless something was thrown, e.g. for want of memory. This closes its pipes, too.
            process.destroyForcibly();
        }
    }

    @Override
    public void ready() {}

    @Override
    public void close() {
        threads.shutdown();
        try {
            // Calls that are under way are answered, however long they take.
            while (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
                continue;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        program.close();
    }
}
