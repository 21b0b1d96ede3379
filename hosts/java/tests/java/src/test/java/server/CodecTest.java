package server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import local.tierup.conformance.CallException;
import local.tierup.conformance.Color;
import local.tierup.conformance.Conformance;
import local.tierup.conformance.Everything;
import local.tierup.conformance.Functions;
import local.tierup.conformance.HealthException;
import local.tierup.conformance.Options;
import local.tierup.conformance.Point;
import local.tierup.conformance.Shape;
import local.tierup.conformance.UnavailableException;
import org.junit.jupiter.api.Test;

class CodecTest {
    /** Functions at `0:free`, which encodes and decodes arguments and answers. */
    private static Conformance free(Functions functions) {
        return Conformance.load(new Options().tier("0:free").baseline(functions));
    }

    private static Everything everything() {
        return new Everything(true, (byte) -128, 255, Long.MIN_VALUE, -1L, 1, 1.5f, Double.NEGATIVE_INFINITY, "ä\0😀",
                new byte[] {0, -1}, Optional.of(""),
                Optional.of(new Shape.Polygon(List.of(new Point(1, 0)), Optional.of(Color.GREEN))), List.of(1L),
                List.of(new byte[0], new byte[] {1}), List.of(List.of(), List.of(1.0, 2.0)), Map.of("b", 1L, "a", -2L),
                Map.of("", List.of(new Shape.Empty())), Color.DARK_BLUE);
    }

    @Test
    void everythingComesBackAsItWentIn() {
        Conformance rust = free(new Functions() {
            @Override
            public Everything echoEverything(Everything value) {
                return value;
            }
        });
        // The first call records, the second replays the record.
        for (int round = 0; round < 2; round++) {
            assertEquals(everything(), rust.echoEverything(everything()));
        }
        assertEquals(everything().hashCode(), rust.echoEverything(everything()).hashCode());
    }

    @Test
    void recordsCompareBytesByTheirContent() {
        Everything one = everything();
        one.chunks().get(1)[0] = 2;
        assertNotEquals(one, everything());
        one.chunks().get(1)[0] = 1;
        one.bytes()[0] = 1;
        assertNotEquals(one, everything());
    }

    @Test
    void whatRustWouldRefuseIsTheBaselinesToJudge() {
        AtomicInteger calls = new AtomicInteger();
        Conformance rust = free(new Functions() {
            @Override
            public String echoText(String text) {
                calls.incrementAndGet();
                return text;
            }
        });
        for (int round = 0; round < 2; round++) {
            assertEquals("\ud800", rust.echoText("\ud800"));
        }
        assertEquals(2, calls.get());
    }

    @Test
    void theGoldenCall() {
        String[] answer = {"golden"};
        Conformance rust = Conformance.load(new Options().tier("0").baseline(new Functions() {
            @Override
            public String echoText(String text) throws Exception {
                if (answer[0] == null) {
                    throw new Exception("words");
                }
                return answer[0];
            }
        }));
        rust.checkHealth();
        answer[0] = "brass";
        String wrong = assertThrows(HealthException.class, rust::checkHealth).getMessage();
        assertTrue(wrong.contains("gave a wrong answer: its SHA-256 is"), wrong);
        answer[0] = null;
        HealthException failed = assertThrows(HealthException.class, rust::checkHealth);
        assertTrue(failed.getMessage().endsWith("failed: words"), failed.getMessage());
        assertInstanceOf(CallException.class, failed.getCause());
    }

    @Test
    void labelsOfBaselines() {
        for (String label : List.of("", "free", "memo", "workers", "a b", "ä")) {
            String refused = assertThrows(IllegalArgumentException.class, () -> new Options().baseline(label, new Own())).getMessage();
            assertTrue(refused.contains("cannot label a baseline"), refused);
        }
    }

    @Test
    void whatWasNotBuiltCannotRun() {
        Options options = new Options().tier("3:native").baseline(new Own());
        String refused = assertThrows(UnavailableException.class, () -> Conformance.load(options)).getMessage();
        assertEquals("conformance cannot run at tier 3:native: no variant is built here: run `tierup build`", refused);
        assertThrows(UnavailableException.class, Conformance::load);
    }

    @Test
    void anExceptionOfTheServersOwnIsACallExceptionToo() {
        IllegalStateException mine = new IllegalStateException();
        Functions own = new Functions() {
            @Override
            public byte[] fail(String words) {
                throw mine;
            }
        };
        for (String tier : List.of("0", "0:free", "0:tuned")) {
            Conformance rust = Conformance.load(new Options().tier(tier).baseline(own).baseline("tuned", own));
            for (int round = 0; round < 2; round++) {
                assertSame(mine, assertThrows(CallException.class, () -> rust.fail("x")).getCause());
            }
            String missing = assertThrows(UnavailableException.class, () -> rust.echoText("x")).getMessage();
            assertEquals("the baseline has no function echoText", missing);
        }
    }

    @Test
    void eachCallerHasAnAnswerOfItsOwn() {
        Conformance rust = free(new Functions() {
            @Override
            public byte[] makeBytes(long length) {
                return new byte[(int) length];
            }
        });
        rust.makeBytes(3);
        Arrays.fill(rust.makeBytes(3), (byte) 1);
        assertArrayEquals(new byte[3], rust.makeBytes(3));
    }
}
