// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import {{package}}.internal.Rollout.InForce;
import {{package}}.internal.Tally.Kind;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A call of a rollout that the candidate answers, or that is compared. Nothing here throws into a call, whatever the server's code does. */
public final class Taken {
    /** The first byte of an answer. */
    private static final int OK = 0;
    private static final int REFUSED = 3;

    /** The most bytes of arguments, and of an answer. */
    private static final int MOST_BYTES = 64 << 10;
    private static final int MOST_WORDS = 1000;

    private final Rollout rollout;
    private final InForce now;
    private final int number;
    private final boolean isShared;
    /** Of a call that is compared; null if they are too large or refused. */
    private byte[] arguments;
    /** Why the candidate does not take the arguments, otherwise null. It may hold values. */
    private String refusal;
    private boolean hasFailed;
    private boolean hasErred;

    Taken(Rollout rollout, InForce now, int number, boolean isShared) {
        this.rollout = rollout;
        this.now = now;
        this.number = number;
        this.isShared = isShared;
    }

    /** Whether the candidate answers a call: by chance, or the same arguments always. */
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
            // Code of the server's may run, and throw, where a value is read.
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

    /** What a server's own class has to say may be an exception, too. */
    private static String words(Throwable e) {
        return e instanceof Refusal || e instanceof Failure ? e.getMessage() : e.getClass().getName();
    }

    /** Whether the candidate answers it. */
    public boolean isShared() {
        return isShared;
    }

    /** Whether the candidate has failed. */
    public boolean hasFailed() {
        return hasFailed;
    }

    /** Begins the candidate's call, and returns what makes it. */
    public Object enter() {
        if (now.deaths != null) {
            now.deaths.enter();
        }
        return now.side;
    }

    /** Ends the candidate's call. */
    public void leave() {
        if (now.deaths != null) {
            now.deaths.leave();
        }
    }

    /** Counts a value of the candidate's. */
    public void given() {
        rollout.ended(now, false);
    }

    /** Counts how the candidate failed; why, for what is refused. */
    public void notGiven(Kind kind, String why) {
        hasFailed = true;
        hasErred = kind == Kind.ERRORS;
        if (kind == Kind.REFUSED) {
            // It counts if the control takes the arguments.
            refusal = why;
        } else {
            rollout.count(kind, 1);
        }
        rollout.ended(now, kind != Kind.REFUSED && kind != Kind.ERRORS);
    }

    /** Counts a candidate whose call ended in anything else. */
    public void lost(Throwable e) {
        Threads.endIfStopped(e);
        notGiven(Kind.LOST, "");
    }

    /** The control has answered. Its value is encoded before the caller can change it. */
    public void answered(Consumer<Writer> write) {
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
            // No tier in Rust can answer this.
            return message(REFUSED, refusal.getMessage());
        }
    }

    private static byte[] message(int tag, String words) {
        Writer to = new Writer(MOST_BYTES);
        to.u8(tag);
        to.blob(words.substring(0, Math.min(MOST_WORDS, words.length())).getBytes(StandardCharsets.UTF_8));
        return to.written();
    }

    /** How the control has failed: the first byte of such an answer, and words. */
    public void failed(int tag, String words) {
        if (refusal != null) {
            forget();
        } else if (arguments != null) {
            send(() -> message(tag, words == null ? "" : words));
        }
    }

    /** The call tells nothing of the function: nobody takes its arguments, or the control was lost or ended from outside. */
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
