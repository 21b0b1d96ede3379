package conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import local.tierup.conformance.Color;
import local.tierup.conformance.Keywords;
import local.tierup.conformance.Point;
import local.tierup.conformance.Reserved;
import local.tierup.conformance.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ValuesTest {
    @Test
    void integersKeepAllTheirBits() {
        Each.variant(rust -> {
            assertEquals("18446744073709551615", Long.toUnsignedString(rust.echoU64(-1)));
            assertEquals(Long.MIN_VALUE, rust.echoI64(Long.MIN_VALUE));
            assertEquals(-128, rust.echoI8((byte) -128));
            assertEquals(255, rust.echoU8(255));
            assertEquals(0xffff_ffffL, rust.echoU32(0xffff_ffffL));
            assertEquals(List.of(1L, -1L), rust.echoU64s(List.of(1L, -1L)));
            assertEquals(0xffff_ffffL, rust.echoUsize(0xffff_ffffL));
            // A usize of Wasm has 32 bits.
            if (rust.tier().equals("2:core")) {
                refused("echoUsize: a size does not fit this machine", () -> rust.echoUsize(1L << 32), false);
            } else {
                assertEquals(1L << 32, rust.echoUsize(1L << 32));
            }
        });
    }

    @Test
    void floatsKeepNanAndTheSignOfZero() {
        Each.variant(rust -> {
            long strange = 0x7ff8_0000_dead_beefL;
            assertEquals(strange, Double.doubleToRawLongBits(rust.echoF64(Double.longBitsToDouble(strange))));
            assertTrue(rust.isNegativeZero(-0.0));
            assertFalse(rust.isNegativeZero(0.0));
            assertEquals(Float.NEGATIVE_INFINITY, rust.echoF32(Float.NEGATIVE_INFINITY));
            assertEquals(Double.MIN_VALUE, rust.echoF64(Double.MIN_VALUE));
        });
    }

    @Test
    void textAndBytesArriveToTheByte() {
        Each.variant(rust -> {
            for (String text : List.of("", "a", "ä€😀", "\0 in the middle \0", "\ufeffbom", "𝕏".repeat(1000), "\r\n", "\ufffd")) {
                assertEquals(text, rust.echoText(text));
                assertEquals(text.getBytes(StandardCharsets.UTF_8).length, rust.utf8Length(text));
            }
            for (int length : new int[] {0, 1, 4090, 4091, 4092, 70_000, 1 << 20, (1 << 20) + 1}) {
                byte[] content = new byte[length];
                for (int at = 0; at < length; at++) {
                    content[at] = (byte) (at * 7);
                }
                assertArrayEquals(content, rust.echoBytes(content));
            }
        });
    }

    @Test
    void answersAreTheCallersOwn() {
        Each.variant(rust -> {
            byte[] first = rust.echoBytes("first".getBytes(StandardCharsets.UTF_8));
            String text = rust.echoText("text");
            for (int call = 0; call < 100; call++) {
                rust.echoBytes("other".getBytes(StandardCharsets.UTF_8));
                rust.echoText("else");
            }
            assertEquals("first", new String(first, StandardCharsets.UTF_8));
            assertEquals("text", text);
        });
    }

    @Test
    void recordsEnumsMapsAndWhatMayBeAbsent() {
        Each.variant(rust -> {
            assertEquals(new Point(1.5, -2), rust.echoPoint(new Point(1.5, -2)));
            assertEquals(Color.DARK_BLUE, rust.echoColor(Color.DARK_BLUE));
            List<Shape> shapes = List.of(new Shape.Empty(), new Shape.Circle(2), new Shape.Line(new Point(0, 0), new Point(1, 1)),
                    new Shape.Polygon(List.of(), Optional.empty()),
                    new Shape.Polygon(List.of(new Point(1, 0)), Optional.of(Color.RED)));
            assertEquals(shapes, rust.echoShapes(shapes));
            Map<String, Integer> keys = Map.of("b", 1, "a", 2, "ä", 3, "", 4, "\uffff", 5, "😀", 6);
            assertEquals(keys, rust.echoMap(keys));
            // The keys of an answer are in the order of their UTF-8.
            assertEquals(List.of("", "a", "b", "ä", "\uffff", "😀"), new ArrayList<>(rust.echoMap(keys).keySet()));
            assertEquals(Optional.empty(), rust.echoOption(Optional.empty()));
            assertEquals(Optional.of(7L), rust.echoOption(Optional.of(7L)));
            assertEquals(Optional.empty(), rust.longest(List.of()));
            assertEquals("DarkBlue", Color.DARK_BLUE.toString());
        });
    }

    private static void refused(String expected, Executable call, boolean whole) {
        String message = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(whole ? message.equals(expected) : message.contains(expected), message);
    }

    @Test
    void whatDoesNotFitIsRefusedWithItsPlace() {
        Each.variant(rust -> {
            refused("text: expected text, got a lone surrogate at index 1", () -> rust.echoText("a\ud800"), true);
            refused("text: expected text, got a lone surrogate at index 2", () -> rust.echoText("ä€\udc00\ud800"), true);
            refused("text: expected text, got null", () -> rust.echoText(null), true);
            refused("value: expected a number from 0 to 255, got -1", () -> rust.echoU8(-1), true);
            refused("value: expected a number from 0 to 4294967295, got 4294967296", () -> rust.echoU32(1L << 32), true);
            refused("values[1]: expected text, got a lone surrogate at index 0",
                    () -> rust.echoTexts(List.of("a", "\ud800")), true);
            refused("values[1]: expected a value, got null", () -> rust.echoU64s(Arrays.asList(1L, null)), true);
            refused("shape: expected a Shape, got null", () -> rust.echoShape(null), true);
            refused("color: expected a Color, got null", () -> rust.echoColor(null), true);
            refused("point: expected a Point, got null", () -> rust.echoPoint(null), true);
            refused("value: expected an Optional, got null", () -> rust.echoOption(null), true);
            refused("shapes[0].fillColor: expected an Optional, got null",
                    () -> rust.echoShapes(List.of(new Shape.Polygon(List.of(), null))), true);
            refused("values[\"\ud800\"]: expected text", () -> rust.echoMap(Map.of("\ud800", 1)), false);
            assertEquals("after", rust.echoText("after"));
        });
    }

    @Test
    void namesThatMeanSomethingElsewhere() {
        Each.variant(rust -> {
            assertEquals("abc", rust.class_("a", "b", "c"));
            assertEquals(7, rust.delete(1, 2, 4));
            assertEquals(9, rust.type(9));
            assertEquals(3, rust.func(3));
            assertEquals(3, rust.close_(3));
            assertEquals("url 1", rust.get_url(1));
            assertEquals("URL 1", rust.get_URL(1));
            assertEquals("Url 1", rust.getUrl(1));
            Keywords keywords = new Keywords("t", 1, false, -1, 2, Optional.empty());
            assertEquals(keywords, rust.echoKeywords(keywords));
            assertEquals(new Reserved.Object_(3), rust.echoReserved(new Reserved.Object_(3)));
        });
    }
}
