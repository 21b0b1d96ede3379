import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.graalvm.polyglot.Engine;

// Prints what one call costs in Java, natively and in Wasm, for each way of doing it. The property `built` is the folder
// that `run.sh` fills; the argument `wasm` leaves the native ways out, for a second run with Graal's compiler.
final class Measure {
    interface Use {
        Object of(Functions functions) throws Throwable;
    }

    private Measure() {}

    public static void main(String[] arguments) throws Throwable {
        String built = System.getProperty("built");
        byte[] module = Files.readAllBytes(Path.of(built, "rivals_wasm.wasm"));
        try (Engine engine = Engine.newBuilder("wasm").option("engine.WarnInterpreterOnly", "false").build()) {
            System.out.printf("Java %s; GraalWasm's code is: %s%n", Runtime.version(), engine.getImplementationName());
        }
        String text = "a text of sixty-four bytes, like a title that becomes an address";
        byte[] value = "0123456789abcdef".repeat(4096).getBytes();
        Map<String, Use> calls = new LinkedHashMap<>();
        calls.put("echo_text, 64 bytes", functions -> functions.echoText(text));
        calls.put("echo_bytes, 64 KiB", functions -> functions.echoBytes(value));
        calls.put("sort_and_hash, 50,000 numbers", functions -> functions.sortAndHash(7, 50_000));
        calls.put("write_numbers, 50,000 numbers", functions -> functions.writeNumbers(7, 50_000));

        Map<String, Functions> wasm = new LinkedHashMap<>();
        wasm.put("Chicory, compiled", new Chicory(module, true));
        wasm.put("GraalWasm", new GraalWasm(module));
        wasm.put("Chicory's interpreter", new Chicory(module, false));
        // Native code is a row here, so that it can be seen what Wasm itself costs.
        wasm.put("JNI", Jni.load(built));
        if (!List.of(arguments).contains("wasm")) {
            Map<String, Functions> ways = new LinkedHashMap<>();
            ways.put("JNI with jni-rs", Jni.load(built));
            ways.put("FFM", new Ffm());
            ways.put("JNA, interface", new Jna(built));
            ways.put("JNA, direct", new JnaDirect(built));
            for (Map.Entry<String, Use> call : List.copyOf(calls.entrySet()).subList(0, 3)) {
                table("native: " + call.getKey(), call.getValue(), ways);
            }
        }
        for (Map.Entry<String, Use> call : calls.entrySet()) {
            table("Wasm: " + call.getKey(), call.getValue(), wasm);
        }
    }

    /** All of them must answer alike before they are timed. */
    private static void table(String title, Use use, Map<String, Functions> ways) throws Throwable {
        List<Paired.Row> rows = new ArrayList<>();
        Object expected = null;
        for (Map.Entry<String, Functions> way : ways.entrySet()) {
            Object answer = use.of(way.getValue());
            expected = expected == null ? answer : expected;
            if (!Objects.deepEquals(answer, expected)) {
                throw new IllegalStateException(way.getKey() + " answers otherwise than the first");
            }
            rows.add(new Paired.Row(way.getKey(), () -> use.of(way.getValue())));
        }
        Paired.compare(title, rows);
    }
}
