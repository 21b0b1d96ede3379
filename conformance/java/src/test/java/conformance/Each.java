package conformance;

import java.util.ArrayList;
import java.util.List;

import local.tierup.conformance.Conformance;
import local.tierup.conformance.Options;
import local.tierup.conformance.UnavailableException;

/** What the tests share: every variant that a call of the package can run. */
final class Each {
    private Each() {}

    /** All must be built: a test without one of them would pass. */
    static final List<String> VARIANTS = List.of("1:spawn", "1:pool", "2:core", "3:native");

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
