// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * {@code 1:spawn}: each call runs the program anew, with the arguments on its standard input. Linux kills a process
 * when the thread that started it ends, and carriers of virtual threads may end. So processes are started by threads of
 * this class. If all are busy, calls wait.
 */
public final class Spawn implements Variant {
    /** How long calls may take to notice that their processes were killed, in seconds. */
    private static final long PATIENCE = 5;

    private final Program program;
    private final String abi;
    private final Limits limits = Limits.read();
    private final ThreadPoolExecutor threads;
    private final Set<Process> running = ConcurrentHashMap.newKeySet();
    private volatile boolean isGivenUp;

    public Spawn(String name, long abi) {
        this.program = Program.open(name);
        this.abi = String.format("%016x", abi);
        int atOnce = Math.max(16, 4 * Processors.available());
        threads = new ThreadPoolExecutor(atOnce, atOnce, 0, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(limits.mostWaiting), Threads.named("tierup-spawn"));
    }

    @Override
    public Answer call(int function, Writer arguments) {
        Threads.needStack();
        Future<byte[]> answer;
        try {
            Deadline deadline = limits.deadline();
            answer = threads.submit(() -> run(function, arguments, deadline));
        } catch (RejectedExecutionException e) {
            if (!threads.isShutdown()) {
                throw limits.tooMany();
            }
            throw new Failure(Failure.Kind.TRANSPORT, program.name() + " is closed");
        }
        return Answer.of(Threads.joined(answer));
    }

    private byte[] run(int function, Writer arguments, Deadline deadline) throws IOException, InterruptedException {
        if (isGivenUp) {
            throw Limits.closedBefore();
        }
        if (deadline.isOver()) {
            throw limits.waitedTooLong();
        }
        Process process = program.start("--tierup-call", Integer.toString(function), abi);
        Deadline.Watch watch = null;
        try {
            watch = deadline.watch(process::destroyForcibly);
            running.add(process);
            if (isGivenUp) {
                process.destroyForcibly();
            }
            try (OutputStream input = process.getOutputStream()) {
                input.write(arguments.frame(), Writer.ROOM, arguments.length() - Writer.ROOM);
            } catch (IOException e) {
                // The program reads all arguments before it answers. If it ends earlier, its exit code says why.
            }
            byte[] answer = process.getInputStream().readAllBytes();
            int code = process.waitFor();
            if (watch.stop()) {
                throw limits.tookTooLong(": its process was ended");
            }
            if (code != 0) {
                throw isGivenUp ? Limits.closedBefore() : program.ending(process);
            }
            return answer;
        } finally {
            // The process has ended, unless an error was thrown. This also closes its pipes.
            process.destroyForcibly();
            running.remove(process);
            if (watch != null) {
                watch.stop();
            }
        }
    }

    @Override
    public void ready() {}

    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(limits.grace().left(), TimeUnit.NANOSECONDS)) {
                giveUp();
                threads.awaitTermination(PATIENCE, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            giveUp();
            Thread.currentThread().interrupt();
        }
        program.close();
    }

    /** Kills all processes; calls that wait are refused. */
    private void giveUp() {
        isGivenUp = true;
        running.forEach(Process::destroyForcibly);
    }
}
