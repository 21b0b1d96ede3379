// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import {{package}}.internal.Tally.Kind;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A rollout inside the process. TIERUP_ROLLOUT names a control file, which sets the share of calls that is compared
 * with a candidate (shadow), and the share that it answers (share). The control, i.e. the chosen tier, answers all
 * other calls, and all calls without a valid file. Only functions that tierup.toml declares pure take part.
 *
 * <p>All bindings of a process share one rollout. One thread reads the file once a second, another sends calls.
 */
public final class Rollout {
    /** How long {@link #ready} waits, and how long the file's content is valid. In seconds. */
    private static final int READY = 5;
    private static final int FRESH = 5;
    /** How long {@link #close} waits until the calls sent so far are compared. In nanoseconds. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(12);
    /** After this many deaths in a call of the candidate, no process calls it. */
    private static final int MOST_DEATHS = 2;

    /**
     * The package that takes part: its functions by number, the numbers of the pure ones, and its variants in Rust.
     * {@code load} returns a variant.
     */
    public record Of(String name, long abi, List<String> functions, List<Integer> pure, List<String> variants,
            Function<String, Side> load) {}

    /** The candidate's calls, and how to release it. */
    public record Side(Object calls, Runnable release) {}

    private final Of of;
    private final Path path;
    private final Path folder;
    private final Shadow shadow;
    private final String machine = machine();
    private final Tally tally;
    private final Messages messages;
    private final CountDownLatch isRead = new CountDownLatch(1);
    private final CountDownLatch isReady = new CountDownLatch(1);
    private final CountDownLatch isOver = new CountDownLatch(1);
    private final Thread reader = Threads.named("tierup-rollout").newThread(this::read);
    private final Thread sender = Threads.named("tierup-shadow").newThread(this::send);
    private final Thread atExit = new Thread(this::exit);

    private volatile InForce inForce;
    /** When the file's content expires, whatever the reason why it was not read again. */
    private volatile long fresh;
    /** The control in force, or null. */
    private volatile Control control;
    private volatile Deaths deaths;
    /** The last candidate in force. */
    private volatile String candidate = "";
    private volatile boolean isClosed;
    /** Candidates by name. Only the thread that reads adds to them. */
    private final Map<String, Side> sides = new ConcurrentHashMap<>();

    /** Begins a rollout with the control file at a path. */
    public Rollout(Of of, String path) {
        this.of = of;
        messages = new Messages(of.name + ": TIERUP_ROLLOUT: ");
        tally = new Tally(machine, System.currentTimeMillis());
        this.path = Path.of(path).toAbsolutePath();
        folder = Path.of(this.path + ".evidence");
        Charset names = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
        shadow = new Shadow(Variants.comparer(of.name, of.abi), folder.toString().getBytes(names));
        boolean hasBegun = false;
        try {
            Runtime.getRuntime().addShutdownHook(atExit);
            reader.start();
            sender.start();
            hasBegun = true;
        } finally {
            if (!hasBegun) {
                close();
                shadow.abandon();
            }
        }
    }

    /** The name that `gethostname` returns, which the packages of all hosts use in names of files. */
    private static String machine() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (IOException unknown) {
                return "localhost";
            }
        }
    }

    /** Waits, but not for long, until the file is read and the process that compares is connected. */
    public void ready() {
        await(isReady, READY);
    }

    /** Whether the latch opens within this many seconds. An interruption ends the wait, but is restored afterwards. */
    private static boolean await(CountDownLatch latch, int seconds) {
        try {
            return latch.await(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Waits some seconds until the calls sent so far are compared. It leaves no thread and no process. */
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (RuntimeException e) {
            // The virtual machine is ending and will run the hook, or removing it is not allowed.
        }
        isClosed = true;
        end();
        Deadline patience = Deadline.in(PATIENCE);
        boolean hasEnded = Threads.join(reader, patience);
        if (!(Threads.join(sender, patience) && hasEnded)) {
            shadow.abandon();
        }
        inForce = null;
        endDeaths();
        if (hasEnded) {
            release();
        }
    }

    /** Called once the rollout is closed and the thread that reads has ended, or is about to. */
    private void release() {
        for (String name : sides.keySet()) {
            Side side = sides.remove(name);
            try {
                if (side != null) {
                    side.release().run();
                }
            } catch (RuntimeException e) {
                // The other candidates are released all the same.
            }
        }
    }

    private void end() {
        inForce = null;
        isOver.countDown();
        // Wakes the thread that sends.
        shadow.frames.offer(new byte[0]);
    }

    /** Calls still running when the virtual machine exits normally are not deaths. */
    private void exit() {
        end();
        endDeaths();
    }

    private void endDeaths() {
        if (deaths != null) {
            deaths.end();
        }
    }

    private boolean isOver() {
        return isOver.getCount() == 0;
    }

    private void read() {
        do {
            // Nobody has a reason to interrupt this thread.
            Thread.interrupted();
            try {
                readOnce();
            } catch (Throwable e) {
                control = null;
                inForce = null;
                sayWhy(e);
            }
            isRead.countDown();
        } while (!await(isOver, 1));
        inForce = null;
        if (isClosed) {
            release();
        }
    }

    private void sayWhy(Throwable e) {
        try {
            messages.say(path + " is not obeyed, so the control answers every call: " + words(e));
        } catch (OutOfMemoryError none) {
            // There may be memory the next time.
        }
    }

    private static String words(Throwable e) {
        return e instanceof RuntimeException && e.getMessage() != null ? e.getMessage() : e.toString();
    }

    private void readOnce() throws IOException {
        Control read = Control.read(path);
        if (read.until() <= System.currentTimeMillis() / 1000.0) {
            throw new IllegalArgumentException("its judge has not renewed it: `until` is over");
        }
        if (deaths != null && deaths.isGone()) {
            // Its folder was removed, so a death would go unnoticed.
            endDeaths();
            deaths = null;
            control = null;
        }
        InForce next = inForce;
        if (!read.renewed().equals(control)) {
            inForce = null;
            next = obeyed(read);
            control = read.renewed();
        }
        fresh = System.nanoTime() + TimeUnit.SECONDS.toNanos(FRESH);
        inForce = next;
    }

    /** Null if the control answers every call without comparison. */
    private InForce obeyed(Control control) {
        if (of.pure.isEmpty()) {
            throw new IllegalArgumentException("tierup.toml declares no function pure (`pure` of [function])");
        }
        if (!of.variants.contains(control.candidate())) {
            throw new IllegalArgumentException(
                    "`candidate` must be a variant in Rust, such as 3:native, got '" + control.candidate() + "'");
        }
        if (control.shadow() == 0 && control.share() == 0) {
            return null;
        }
        List<String> others = IntStream.range(0, of.functions.size()).filter(number -> !of.pure.contains(number))
                .mapToObj(of.functions::get).toList();
        if (!others.isEmpty()) {
            String more = others.size() > 3 ? " and " + (others.size() - 3) + " more" : "";
            messages.say("the control answers every call of " + String.join(", ", others.subList(0, Math.min(3, others.size()))) + more
                    + ", which tierup.toml does not declare pure");
        }
        boolean isShared = control.share() > 0 && mayShare(control);
        Side side = isShared ? sides.get(control.candidate()) : null;
        if (isShared && side == null) {
            side = of.load.apply(control.candidate());
            sides.put(control.candidate(), side);
        }
        candidate = control.candidate();
        // Only code in this process can end it, so only `3:` candidates need the file.
        Deaths watched = isShared && candidate.startsWith("3:") ? deaths : null;
        return new InForce(control, side, watched, of.functions.stream().map(function -> new Pairing(control, tally)).toList());
    }

    /** Whether the candidate may answer calls here. If it could end this process, a file is made that would show it. */
    private boolean mayShare(Control control) {
        String name = (control.candidate() + " " + control.generation()).strip();
        if (!name.startsWith("3:") || deaths != null && deaths.name.equals(name)) {
            return true;
        }
        Deaths next = new Deaths(folder, name, machine);
        try {
            int count = next.count(deaths);
            if (count >= MOST_DEATHS) {
                messages.say(count + " processes died in a call of " + control.candidate() + " (" + folder
                        + "/*.died), so the control answers until `generation` is another one");
                return false;
            }
            next.begin();
        } catch (IOException e) {
            messages.say("the control answers, as nobody would learn that a call of " + control.candidate() + " ended the process: " + e);
            return false;
        }
        endDeaths();
        deaths = next;
        return true;
    }

    private void send() {
        try {
            while (!isOver() && !await(isRead, 1)) {
                Thread.interrupted();
            }
            while (!isOver()) {
                sendForASecond();
            }
            shadow.close(counted());
            messages.print();
        } catch (Throwable e) {
            // There may be no memory. Without this thread nothing is compared, so the control answers every call.
            end();
            shadow.abandon();
        } finally {
            isReady.countDown();
        }
    }

    private void sendForASecond() {
        try {
            if (inForce != null) {
                shadow.connect(this::isOver);
            }
            shadow.write(counted());
        } catch (Throwable e) {
            // While the rollout ends, failures do not matter.
            if (!isOver()) {
                messages.say(words(e));
            }
        }
        isReady.countDown();
        messages.print();
        Deadline tick = Deadline.in(TimeUnit.SECONDS.toNanos(1));
        while (!isOver() && !tick.isOver()) {
            try {
                byte[] frame = shadow.frames.poll(tick.left(), TimeUnit.NANOSECONDS);
                if (frame != null && !shadow.writeNext(frame)) {
                    count(Kind.DROPPED, 1);
                }
            } catch (InterruptedException e) {
                // Nobody has a reason to interrupt this thread.
            }
        }
    }

    void count(Kind kind, int by) {
        tally.count(kind, by);
    }

    /** A request with the counts. */
    private byte[] counted() {
        Control now = control;
        String json = tally.json(candidate, now != null && now.keepsValues());
        return Shadow.framed(Shadow.COUNTS, json.getBytes(StandardCharsets.UTF_8));
    }

    /** Null if only the control takes the call. The arguments are encoded before anybody can change them. */
    public Taken take(int number, String tier, Consumer<Writer> arguments) {
        InForce now = inForce;
        if (now == null || now.control.candidate().equals(tier) || System.nanoTime() - fresh > 0) {
            return null;
        }
        try {
            // The code below must not run out of stack half-way.
            Threads.needStack();
            count(Kind.CALLS, 1);
            if (now.isSharing && Taken.isChosen(now, number, arguments)) {
                count(Kind.SHARED, 1);
                return new Taken(this, now, number, true, now.pairings.get(number).isTimed(true));
            }
            if (now.control.shadow() > 0 && ThreadLocalRandom.current().nextDouble() < now.control.shadow()) {
                count(Kind.SAMPLED, 1);
                Taken taken = new Taken(this, now, number, false, false);
                taken.encode(arguments);
                return taken;
            }
            return now.isSharing && now.pairings.get(number).isTimed(false) ? new Taken(this, now, number, false, true) : null;
        } catch (Throwable e) {
            // The control answers.
            Threads.endIfStopped(e);
        }
        return null;
    }

    boolean send(byte[] frame) {
        return shadow.send(frame);
    }

    /** Counts a call of the candidate. If too many have failed, the control answers until the file changes. */
    void ended(InForce now, boolean isFailure) {
        int failed = now.ended(isFailure);
        if (failed > 0) {
            messages.say(failed + " of " + InForce.BLOCK + " calls failed at " + now.control.candidate()
                    + ", so the control answers until the control file changes");
        }
    }

    /** Counts arguments that the control has answered and the candidate refuses. The reason may contain values. */
    void refuse(int number, String why) {
        tally.refuse(of.functions.get(number), why);
    }
}
