// Made by tierup; the same in every package. Do not edit.
package {{package}};

import {{package}}.internal.Unreadable;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Makes calls on request, through the package's public methods, as a server does. Descriptor 3 carries requests, 4
 * answers. The arguments are pairs of a baseline's label and its name.
 */
final class TierupDriver {
    private static final byte OK = 0;
    private static final byte FAILED = 1;
    private static final byte PANICKED = 2;
    private static final byte REFUSED = 3;
    private static final byte LOST = 4;

    /** How a call ended, as docs/driver.md names it. */
    private record Ending(byte outcome, long elapsed, byte[] content) {
        static Ending of(byte outcome, Throwable e) {
            String message = e.getMessage() == null ? e.toString() : e.getMessage();
            return new Ending(outcome, 0, message.getBytes(StandardCharsets.UTF_8));
        }
    }

    private final Map<String, String> baselines = new HashMap<>();
    /** The package, bound to each tier requested so far. */
    private final Map<String, Binding> bindings = new HashMap<>();

    private TierupDriver(String[] names) {
        for (int at = 0; at + 1 < names.length; at += 2) {
            baselines.put(names[at], names[at + 1]);
        }
    }

    public static void main(String[] names) throws IOException {
        TierupDriver driver = new TierupDriver(names);
        // Buffered: an unbuffered file stream asks for its position, which a pipe does not have.
        try (InputStream requests = new BufferedInputStream(new FileInputStream("/dev/fd/3"));
                DataOutputStream answers = new DataOutputStream(new FileOutputStream("/dev/fd/4"))) {
            driver.serve(requests, answers);
        }
        driver.bindings.values().forEach(Binding::close);
        // Threads left behind by the server's own functions must not keep this process alive.
        System.exit(0);
    }

    private void serve(InputStream requests, DataOutputStream answers) throws IOException {
        while (true) {
            byte[] head = requests.readNBytes(4);
            if (head.length == 0) {
                return;
            }
            int length = little(head).getInt();
            answers.write(answer(requests.readNBytes(length)));
            answers.flush();
        }
    }

    private byte[] answer(byte[] bytes) {
        ByteBuffer request = little(bytes);
        String row = new String(counted(request), StandardCharsets.UTF_8);
        int function = request.getInt();
        int repeat = request.getInt();
        Ending ending = call(row, function, repeat, counted(request));
        byte[] content = ending.content;
        ByteBuffer frame = little(new byte[17 + content.length]);
        frame.putInt(13 + content.length).put(ending.outcome).putLong(ending.elapsed);
        return frame.putInt(content.length).put(content).array();
    }

    /** The answers to requests that are made at the same time. */
    private byte[] together(ByteBuffer requests) throws InterruptedException, ExecutionException {
        List<Callable<byte[]>> calls = new ArrayList<>();
        for (int left = requests.getInt(); left > 0; left--) {
            byte[] request = counted(requests);
            calls.add(() -> answer(request));
        }
        ExecutorService threads = Executors.newCachedThreadPool();
        ByteArrayOutputStream answers = new ByteArrayOutputStream();
        for (Future<byte[]> answer : threads.invokeAll(calls)) {
            answers.writeBytes(answer.get());
        }
        threads.shutdown();
        return answers.toByteArray();
    }

    /** Closes a binding, and returns its metrics. */
    private static byte[] close(Binding binding) {
        binding.close();
        Metrics now = binding.metrics();
        String lines = "package=%s\ntier=%s\nasked=%s\ninstead=%s\nabi=%s\ncalls=%d\nerrors=%d\npanics=%d\ntimeouts=%d\nlost=%d\n";
        return lines.formatted(now.packageName(), now.tier(), now.asked(), now.instead(), now.abi(),
                now.calls(), now.errors(), now.panics(), now.timeouts(), now.lost()).getBytes(StandardCharsets.UTF_8);
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] counted(ByteBuffer from) {
        byte[] bytes = new byte[from.getInt()];
        from.get(bytes);
        return bytes;
    }

    private Ending call(String row, int function, int repeat, byte[] arguments) {
        Binding binding;
        try {
            if (row.equals("together")) {
                return new Ending(OK, 0, together(little(arguments)));
            }
            boolean isClosed = row.startsWith("close ");
            row = isClosed ? row.substring("close ".length()) : row;
            binding = bindings.get(row);
            if (binding == null) {
                binding = bind(row);
                bindings.put(row, binding);
            }
            if (isClosed) {
                Thread.sleep(repeat);
                return new Ending(OK, 0, close(binding));
            }
        } catch (RuntimeException | LinkageError | InterruptedException | ExecutionException e) {
            return Ending.of(LOST, e);
        }
        try {
            TierupInvoked invoked = TierupCalls.invoke(binding, function, arguments, repeat);
            return new Ending(OK, invoked.elapsed(), invoked.answer());
        } catch (CallException e) {
            return Ending.of(FAILED, e);
        } catch (PanicException e) {
            return Ending.of(PANICKED, e);
        } catch (IllegalArgumentException e) {
            return Ending.of(REFUSED, e);
        } catch (Unreadable e) {
            return Ending.of(REFUSED, new IllegalArgumentException("cannot read the arguments: " + e.getMessage()));
        } catch (RuntimeException e) {
            return Ending.of(LOST, e);
        } catch (Error e) {
            // An error of the baseline, such as a failed assertion. A server's handler would survive it too.
            return Ending.of(PANICKED, e);
        }
    }

    private Binding bind(String row) {
        Options options = new Options().tier(row);
        if (row.startsWith("0")) {
            String label = row.length() > 2 ? row.substring(2) : "";
            String wanted = Options.RESERVED.contains(label) ? "" : label;
            if (baselines.containsKey(wanted)) {
                Functions own = TierupBaseline.named(baselines.get(wanted));
                options = wanted.isEmpty() ? options.baseline(own) : options.baseline(wanted, own);
            }
        }
        Binding binding = {{facade}}.load(options);
        // The start must not count as part of a call.
        binding.ready();
        return binding;
    }
}
