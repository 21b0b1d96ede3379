// Made by tierup; the same in every package. Do not edit.
package {{package}};

import {{package}}.internal.Built;
import {{package}}.internal.Failure;
import {{package}}.internal.Rollout;
import {{package}}.internal.Taken;
import {{package}}.internal.Tally.Kind;
import {{package}}.internal.Writer;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/** What a binding has while TIERUP_ROLLOUT is set: the rollout of all bindings, and its own tier as the control. */
final class TierupRoll {
    private static final int FAILED = 1;
    private static final int PANICKED = 2;
    private static final int REFUSED = 3;

    private static final ReentrantLock LOCK = new ReentrantLock();
    private static Rollout shared;
    private static int users;
    private static boolean isRefused;

    private final Rollout rollout;
    final Binding control;

    private TierupRoll(Rollout rollout, Binding control) {
        this.rollout = rollout;
        this.control = control;
    }

    /** Null if nobody asks for a rollout, or there can be none here, which is said. {@code make}: a binding for one side. */
    static TierupRoll begin(TierupTiers.Loaded loaded, Function<TierupTiers.Loaded, Binding> make) {
        String path = System.getenv("TIERUP_ROLLOUT");
        if (path == null || path.isEmpty()) {
            return null;
        }
        boolean isNew;
        String why;
        LOCK.lock();
        try {
            if (shared == null) {
                shared = new Rollout(of(make), path);
            }
            TierupRoll roll = new TierupRoll(shared, make.apply(loaded));
            users++;
            return roll;
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            isNew = !isRefused;
            isRefused = true;
            why = Failure.words(e);
        } finally {
            LOCK.unlock();
        }
        // Not while others wait: nobody may read it.
        if (isNew) {
            System.err.println(TierupInterface.NAME + ": TIERUP_ROLLOUT is not obeyed: " + why);
        }
        return null;
    }

    private static Rollout.Of of(Function<TierupTiers.Loaded, Binding> make) {
        Built built = Built.read();
        String reason = built.whyNot("1:pool", TierupInterface.ABI_TEXT);
        // Both run the program that compares.
        if (!reason.isEmpty() && !built.whyNot("1:spawn", TierupInterface.ABI_TEXT).isEmpty()) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "1:pool: " + reason);
        }
        return new Rollout.Of(TierupInterface.NAME, TierupInterface.ABI, TierupInterface.FUNCTIONS, TierupInterface.PURE,
                TierupTiers.BEST_FIRST, candidate -> {
                    TierupTiers.Loaded loaded = TierupTiers.candidate(candidate);
                    return new Rollout.Side(make.apply(loaded), loaded.release());
                });
    }

    /** With the last one of a process, the rollout ends. */
    void close() {
        boolean isLast;
        LOCK.lock();
        try {
            users--;
            isLast = users == 0;
            shared = isLast ? null : shared;
        } finally {
            LOCK.unlock();
        }
        if (isLast) {
            rollout.close();
        }
    }

    void ready() {
        rollout.ready();
    }

    /** Makes a call of the control's as a part of the rollout. {@code call} makes it at one side. */
    <T> T call(int function, Consumer<Writer> arguments, Function<Binding, T> call, BiConsumer<Writer, T> write) {
        Taken taken = rollout.take(function, control.tier(), arguments);
        if (taken == null) {
            return call.apply(control);
        }
        if (taken.isShared()) {
            T given = given(taken, call);
            if (!taken.hasFailed()) {
                return given;
            }
        }
        T value;
        try {
            value = call.apply(control);
        } catch (Throwable e) {
            failed(taken, e);
            throw e;
        }
        taken.answered(to -> write.accept(to, value));
        return value;
    }

    /** Asks the candidate, and counts its failure. */
    private static <T> T given(Taken taken, Function<Binding, T> call) {
        Binding candidate = (Binding) taken.enter();
        try {
            T value = call.apply(candidate);
            taken.given();
            return value;
        } catch (CallException e) {
            taken.notGiven(Kind.ERRORS, "");
        } catch (PanicException e) {
            taken.notGiven(Kind.PANICS, "");
        } catch (CallTimeoutException e) {
            taken.notGiven(Kind.TIMEOUTS, "");
        } catch (IllegalArgumentException e) {
            taken.notGiven(Kind.REFUSED, Failure.words(e));
        } catch (Throwable e) {
            // What an argument's own methods throw, too.
            taken.lost(e);
        } finally {
            taken.leave();
        }
        return null;
    }

    private static void failed(Taken taken, Throwable e) {
        if (e instanceof CallException && !(e.getCause() instanceof InterruptedException)) {
            taken.failed(FAILED, e.getMessage());
        } else if (e instanceof PanicException) {
            taken.failed(PANICKED, e.getMessage());
        } else if (e instanceof IllegalArgumentException) {
            taken.failed(REFUSED, e.getMessage());
        } else if (e instanceof AssertionError) {
            // As a panic, like the driver.
            taken.failed(PANICKED, "");
        } else {
            // No memory or stack, a thread that is to end, or a control that was lost.
            taken.forget();
        }
    }
}
