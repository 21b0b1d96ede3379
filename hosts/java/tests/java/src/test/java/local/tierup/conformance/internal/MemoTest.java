package local.tierup.conformance.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

class MemoTest {
    @Test
    void noCallerAndNotTheFunctionItselfChangesWhatOthersGet() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Memo memo = new Memo(0, 0, "");
        byte[] reused = {1};
        for (int round = 0; round < 3; round++) {
            byte[] found = memo.call(0, to -> to.blob(reused), () -> {
                calls.incrementAndGet();
                return reused;
            }, Writer::blob, Reader::blob);
            assertEquals(1, found[0]);
            found[0] = 2;
        }
        assertEquals(1, calls.get());
    }
}
