package conformance;

import java.util.ArrayList;
import java.util.List;

import local.tierup.conformance.Conformance;
import local.tierup.conformance.Options;
import local.tierup.conformance.UnavailableException;

/** What the tests have in common: every variant that runs inside a call of the package. */
final class Each {
    private Each() {}

    /** All of them: what was not built fails the tests rather than being left out. */
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

    /** Waits for threads that were started, and fails where one of them did. */
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
