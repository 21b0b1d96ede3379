// Made by tierup; the same in every package. Do not edit.
package PACKAGE.selftest;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import PACKAGE.Binding;
import PACKAGE.Options;
import PACKAGE.PanicException;
import PACKAGE.UnavailableException;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Calls every built variant with edge values of each type. All must answer alike. */
class VariantsTest {
    /** The fastest first: it is the one that the others are compared with, and that tells when to stop climbing. */
    private static final List<String> VARIANTS = List.of("3:native", "2:core", "1:pool", "1:spawn");

    /** A call that takes longer than this in nanoseconds, or whose answer is longer, is the last of its ladder. */
    private static final long LONG = 10_000_000;
    private static final int LARGE = 1 << 16;

    private static final List<Binding> BINDINGS = new ArrayList<>();

    @BeforeAll
    static void load() {
        for (String tier : VARIANTS) {
            try {
                BINDINGS.add(PACKAGE.FACADE.load(new Options().tier(tier)));
            } catch (UnavailableException e) {
                System.out.println("left out: " + e.getMessage());
            }
        }
        assertFalse(BINDINGS.isEmpty(), "nothing was built: run `tierup build` first");
    }

    @AfterAll
    static void close() {
        BINDINGS.forEach(Binding::close);
    }

    @TestFactory
    Stream<DynamicTest> functions() {
        return Interface.FUNCTIONS.stream().map(function -> dynamicTest(function.name(), () -> {
            Method method = method(function.name());
            EdgeValues.laddersOfArguments(function.parameters()).forEach(ladder -> climb(method, ladder));
        }));
    }

    private static Method method(String name) {
        return Arrays.stream(PACKAGE.FACADE.class.getDeclaredMethods()).filter(method -> method.getName().equals(name)).findFirst()
                .orElseGet(() -> fail("there is no function " + name));
    }

    private static void climb(Method function, List<List<Object>> ladder) {
        Binding first = BINDINGS.get(0);
        for (List<Object> arguments : ladder) {
            String expected = outcome(first, function, arguments);
            // The second call is the one to time: at the first, Java may still have to load what it needs.
            long start = System.nanoTime();
            if (!outcome(first, function, arguments).equals(expected)) {
                return; // It does not answer twice alike: its answers are nothing to compare.
            }
            boolean isLast = System.nanoTime() - start > LONG || expected.length() > LARGE;
            for (Binding other : BINDINGS.subList(1, BINDINGS.size())) {
                String found = outcome(other, function, arguments);
                if (!found.equals(expected)) {
                    fail(function.getName() + Described.shortened(Described.value(arguments)) + ": "
                            + Described.shortened(found) + " at " + other.tier() + ", "
                            + Described.shortened(expected) + " at " + first.tier());
                }
            }
            if (isLast) {
                return;
            }
        }
    }

    /** How a call ends. */
    private static String outcome(Binding binding, Method function, List<Object> arguments) {
        try {
            return Described.value(function.invoke(binding, arguments.toArray()));
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        } catch (InvocationTargetException e) {
            // A panic's words may name another place where the code was compiled differently.
            return e.getCause() instanceof PanicException ? "PanicException" : e.getCause().toString();
        }
    }
}
