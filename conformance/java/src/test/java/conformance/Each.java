package conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import local.tierup.conformance.Conformance;
import local.tierup.conformance.Options;
import local.tierup.conformance.UnavailableException;

/** Runs tests at every variant that can run a call of the package. */
final class Each {
    private Each() {}

    /** All must be built, as the tests would pass without testing one that is not. */
    static final List<String> VARIANTS = List.of("1:spawn", "1:pool", "2:core", "3:native");

    private static final byte[] CONTENT = new byte[128 << 10];

    interface Test {
        void run(Conformance rust) throws Exception;
    }

    /** Runs a test at every variant. */
    static void variant(Test test) {
        variants(VARIANTS, test);
    }

    static void variants(List<String> names, Test test) {
        for (String name : names) {
            try (Conformance rust = at(name)) {
                test.run(rust);
            } catch (UnavailableException e) {
                throw e;
            } catch (Exception | AssertionError e) {
                throw new AssertionError("at " + name + ": " + e.getMessage(), e);
            }
        }
    }

    static Conformance at(String name) {
        return Conformance.load(new Options().tier(name));
    }

    /** Keeps a processor busy for a millisecond or two: it writes 128 KiB as decimal numbers. */
    static void work(Conformance rust) {
        rust.describeAll(true, 1, "", 1, CONTENT, Optional.empty(), List.of(), Map.of());
    }

    /** Runs a task in many threads, waits for them, and fails if one of them failed. */
    static void all(int count, Numbered task) throws InterruptedException {
        List<Throwable> failures = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            int mine = number;
            threads.add(Threads.start(() -> {
                try {
                    task.run(mine);
                } catch (Throwable e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw new AssertionError(failures.size() + " failed, first: " + failures.get(0), failures.get(0));
        }
    }

    interface Numbered {
        void run(int number) throws Exception;
    }
}
