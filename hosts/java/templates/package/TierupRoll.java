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

/** Set in a binding while TIERUP_ROLLOUT is: the rollout of all bindings, and the binding's own tier as the control. */
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

    /** Null without TIERUP_ROLLOUT, or if there can be no rollout, which is reported. {@code make} makes a side. */
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
        // Outside the lock, as writing to a pipe that nobody reads would block.
        if (isNew) {
            System.err.println(TierupInterface.NAME + ": TIERUP_ROLLOUT is not obeyed: " + why);
        }
        return null;
    }

    private static Rollout.Of of(Function<TierupTiers.Loaded, Binding> make) {
        Built built = Built.read();
        String reason = built.whyNot("1:pool", TierupInterface.ABI_TEXT);
        // 1:pool and 1:spawn run the program that compares calls.
        if (!reason.isEmpty() && !built.whyNot("1:spawn", TierupInterface.ABI_TEXT).isEmpty()) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "1:pool: " + reason);
        }
        return new Rollout.Of(TierupInterface.NAME, TierupInterface.ABI, TierupInterface.FUNCTIONS, TierupInterface.PURE,
                TierupTiers.BEST_FIRST, candidate -> {
                    TierupTiers.Loaded loaded = TierupTiers.candidate(candidate);
                    return new Rollout.Side(make.apply(loaded), loaded.release());
                });
    }

    /** The last binding of a process ends the rollout. */
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

    /** Makes a call of the control as a part of the rollout. {@code call} makes it at the side that it is given. */
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
            taken.begin();
            value = call.apply(control);
        } catch (Throwable e) {
            failed(taken, e);
            throw e;
        }
        taken.answered(to -> write.accept(to, value));
        return value;
    }

    /** Calls the candidate, and counts its failure. */
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
            // The methods of an argument may throw, too.
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
            // This counts as a panic, as in the driver.
            taken.failed(PANICKED, "");
        } else {
            // Out of memory or stack, a thread that must end, or a lost control.
            taken.forget();
        }
    }
}
