import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

// Times rows side by side: every round gives each row one slice, in an order of its own. What is compared is compared
// within a round, so that whatever else the machine does falls on all of them.
final class Paired {
    private static final double SLICE = 0.02;
    private static final double WARM_UP = 1.5;
    private static final int ROUNDS = 21;

    interface Call {
        Object run() throws Throwable;
    }

    record Row(String name, Call call) {}

    private Paired() {}

    /** Prints a table; the first row is what the others are compared with. */
    static void compare(String title, List<Row> rows) throws Throwable {
        int[] repeats = new int[rows.size()];
        double[][] times = new double[rows.size()][ROUNDS];
        for (int row = 0; row < repeats.length; row++) {
            // The machine's compiler first: a row is timed when it has been.
            long end = System.nanoTime() + (long) (WARM_UP * 1e9);
            while (System.nanoTime() < end) {
                seconds(rows.get(row).call, 1);
            }
            repeats[row] = (int) Math.clamp(SLICE / seconds(rows.get(row).call, 20), 1, 1_000_000);
        }
        List<Integer> order = new ArrayList<>();
        for (int row = 0; row < repeats.length; row++) {
            order.add(row);
        }
        for (int round = 0; round < ROUNDS; round++) {
            Collections.shuffle(order);
            for (int row : order) {
                times[row][round] = seconds(rows.get(row).call, repeats[row]);
            }
        }
        System.out.printf("%n| %s | one call | x the first | 10-90 %% |%n|---|--:|--:|--:|%n", title);
        for (int row = 0; row < repeats.length; row++) {
            double[] ratios = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                ratios[round] = times[row][round] / times[0][round];
            }
            java.util.Arrays.sort(ratios);
            double[] sorted = times[row].clone();
            java.util.Arrays.sort(sorted);
            System.out.printf(Locale.ROOT, "| %s | %s | %.2f | %.2f-%.2f |%n", rows.get(row).name, written(sorted[ROUNDS / 2]),
                    ratios[ROUNDS / 2], ratios[ROUNDS / 10], ratios[ROUNDS - 1 - ROUNDS / 10]);
        }
    }

    // An answer nobody looks at could be left out by the compiler.
    private static volatile Object last;

    private static double seconds(Call call, int count) throws Throwable {
        long start = System.nanoTime();
        for (int time = 0; time < count; time++) {
            last = call.run();
        }
        return (System.nanoTime() - start) / 1e9 / count;
    }

    private static String written(double seconds) {
        return seconds < 1e-3 ? String.format(Locale.ROOT, "%.2f us", seconds * 1e6) : String.format(Locale.ROOT, "%.2f ms", seconds * 1e3);
    }
}
