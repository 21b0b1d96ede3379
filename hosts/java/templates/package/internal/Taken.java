// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import {{package}}.internal.Tally.Kind;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A call that the candidate answers, that is compared, or that is timed. Nothing here throws, even if the server's code does. */
public final class Taken {
    /** The first byte of an answer. */
    private static final int OK = 0;
    private static final int REFUSED = 3;

    /** The most bytes that the arguments may have, and that an answer may have. */
    private static final int MOST_BYTES = 64 << 10;
    private static final int MOST_WORDS = 1000;

    private final Rollout rollout;
    private final InForce now;
    private final int number;
    private final boolean isShared;
    /** The arguments of a call that is compared; null if they are too large or refused. */
    private byte[] arguments;
    /** Why the candidate refuses the arguments, or null. It may contain values. */
    private String refusal;
    private boolean hasFailed;
    private boolean hasErred;
    private final boolean isTimed;
    private long began;

    Taken(Rollout rollout, InForce now, int number, boolean isShared, boolean isTimed) {
        this.rollout = rollout;
        this.now = now;
        this.number = number;
        this.isShared = isShared;
        this.isTimed = isTimed;
    }

    /** Whether the candidate answers a call: at random, or always the same for the same arguments. */
    static boolean isChosen(InForce now, int number, Consumer<Writer> arguments) {
        if (!now.control.isByInput()) {
            return ThreadLocalRandom.current().nextDouble() < now.control.share();
        }
        try {
            byte[] content = encoded(arguments);
            Mac hash = Mac.getInstance("HmacSHA256");
            hash.init(new SecretKeySpec(now.key, "HmacSHA256"));
            hash.update((number + " ").getBytes(StandardCharsets.US_ASCII));
            long first = ByteBuffer.wrap(hash.doFinal(content)).order(ByteOrder.LITTLE_ENDIAN).getInt() & 0xffff_ffffL;
            return first < now.control.share() * (1L << 32);
        } catch (Throwable e) {
            // Reading a value may run code of the server's, which may throw.
            Threads.endIfStopped(e);
            return false;
        }
    }

    private static byte[] encoded(Consumer<Writer> write) {
        Writer to = new Writer(MOST_BYTES);
        write.accept(to);
        return to.written();
    }

    /** Encodes the arguments of a call that is compared. */
    void encode(Consumer<Writer> write) {
        try {
            arguments = encoded(write);
        } catch (Writer.TooLarge e) {
            rollout.count(Kind.TOO_LARGE, 1);
        } catch (VirtualMachineError e) {
            rollout.count(Kind.DROPPED, 1);
        } catch (Throwable e) {
            Threads.endIfStopped(e);
            refusal = words(e);
        }
    }

    /** An exception class of the server's may throw in its methods. */
    private static String words(Throwable e) {
        return e instanceof Refusal || e instanceof Failure ? e.getMessage() : e.getClass().getName();
    }

    /** Whether the candidate answers the call. */
    public boolean isShared() {
        return isShared;
    }

    /** Whether the candidate has failed. */
    public boolean hasFailed() {
        return hasFailed;
    }

    /** Begins the candidate's call, and returns the candidate. */
    public Object enter() {
        if (now.deaths != null) {
            now.deaths.enter();
        }
        begin();
        return now.side;
    }

    /** Begins a side's call. */
    public void begin() {
        began = System.nanoTime();
    }

    /** Takes in the time of a call that has just given a value. */
    private void note() {
        if (isTimed) {
            now.pairings.get(number).timed(isShared, System.nanoTime() - began);
        }
    }

    /** Ends the candidate's call. */
    public void leave() {
        if (now.deaths != null) {
            now.deaths.leave();
        }
    }

    /** Counts a value from the candidate. */
    public void given() {
        note();
        rollout.ended(now, false);
    }

    /** Counts how the candidate failed, with the reason for a refusal. */
    public void notGiven(Kind kind, String why) {
        hasFailed = true;
        hasErred = kind == Kind.ERRORS;
        if (kind == Kind.REFUSED) {
            // The refusal counts only if the control takes the arguments.
            refusal = why;
        } else {
            rollout.count(kind, 1);
        }
        rollout.ended(now, kind != Kind.REFUSED && kind != Kind.ERRORS);
    }

    /** Counts a candidate's call that ended in any other way. */
    public void lost(Throwable e) {
        Threads.endIfStopped(e);
        notGiven(Kind.LOST, "");
    }

    /** Records that the control has answered. The value is encoded before the caller can change it. */
    public void answered(Consumer<Writer> write) {
        if (!isShared) {
            note();
        }
        if (refusal != null) {
            rollout.refuse(number, now.control.keepsValues() ? refusal : "");
        }
        if (hasErred) {
            rollout.count(Kind.ERRED, 1);
        }
        if (arguments != null) {
            send(() -> answer(write));
        }
    }

    private static byte[] answer(Consumer<Writer> write) {
        try {
            return encoded(to -> {
                to.u8(OK);
                to.parameter("answer");
                write.accept(to);
            });
        } catch (Refusal refusal) {
            // No tier in Rust can return this value.
            return message(REFUSED, refusal.getMessage());
        }
    }

    private static byte[] message(int tag, String words) {
        Writer to = new Writer(MOST_BYTES);
        to.u8(tag);
        to.blob(words.substring(0, Math.min(MOST_WORDS, words.length())).getBytes(StandardCharsets.UTF_8));
        return to.written();
    }

    /** Records how the control has failed: the first byte of that answer, and the message. */
    public void failed(int tag, String words) {
        if (refusal != null) {
            forget();
        } else if (arguments != null) {
            send(() -> message(tag, words == null ? "" : words));
        }
    }

    /** Drops a call that says nothing about the function: both sides refuse it, or the control was lost or stopped. */
    public void forget() {
        if (!isShared && (refusal != null || arguments != null)) {
            rollout.count(Kind.SAMPLED, -1);
        }
    }

    private void send(Supplier<byte[]> answer) {
        boolean isSent = false;
        try {
            byte[] length = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(arguments.length).array();
            int mayBeKept = now.control.keepsValues() ? Shadow.KEEP : 0;
            isSent = rollout.send(Shadow.framed(number | mayBeKept, length, arguments, answer.get()));
        } catch (Writer.TooLarge e) {
            rollout.count(Kind.TOO_LARGE, 1);
            return;
        } catch (Throwable e) {
            Threads.endIfStopped(e);
        }
        if (!isSent) {
            rollout.count(Kind.DROPPED, 1);
        }
    }
}
