import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Random;

/**
 * Functions that HotSpot inlines into one: with loops, with calls, and without either. {@code map} unboxes integers if
 * {@code -Dboxing=true}.
 */
public final class Shapes {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final boolean BOXING = Boolean.getBoolean("boxing");
    static final byte[] BYTES = new byte[6_000];
    static final int[] NUMBERS = new int[20_000];
    static final double[] SQUARE = new double[60 * 60];
    static final HashMap<Integer, Integer> MAP = new HashMap<>();
    static final String TEXT = "hello world this is a text ".repeat(80);

    static int counted(int count) {
        int sum = 2;
        for (int i = 0; i < count; i++) {
            sum = sum * 22695477 + (i ^ sum >>> 16);
        }
        return sum;
    }

    static int bytes(byte[] bytes) {
        int sum = 0;
        for (int i = 0; i < bytes.length; i++) {
            sum += bytes[i] * 31 + (sum << 3);
        }
        return sum;
    }

    static int vector(int[] numbers) {
        int sum = 0;
        for (int i = 0; i < numbers.length; i++) {
            sum += numbers[i];
        }
        return sum;
    }

    static double nested(double[] square, int side) {
        double sum = 0;
        for (int i = 0; i < side; i++) {
            for (int j = 0; j < side; j++) {
                sum += square[i * side + j] * square[j * side + i];
            }
        }
        return sum;
    }

    static int characters(String text) {
        int hash = 0;
        for (int i = 0; i < text.length(); i++) {
            char one = text.charAt(i);
            hash = one == ' ' ? hash + 7 : hash * 31 + one;
        }
        return hash;
    }

    static int text(String text) {
        StringBuilder builder = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            builder.append(text).append(i);
        }
        return builder.length();
    }

    static int map(HashMap<Integer, Integer> map, int key) {
        int sum = 0;
        for (int i = 0; i < 60; i++) {
            Integer value = map.get((key + i) & 1023);
            if (value != null) {
                sum += value;
            }
        }
        return sum;
    }

    static long straight(long x) {
        x ^= x << 13;
        x *= 0x9E3779B97F4A7C15L;
        x /= (x | 3);
        x ^= x << 17;
        x %= ((x >>> 3) | 5);
        x += 12345;
        return x / ((x >>> 5) | 7);
    }

    static long run(int number) {
        long sum = counted(6_000) + bytes(BYTES) + vector(NUMBERS) + (long) nested(SQUARE, 60) + characters(TEXT);
        for (int i = 0; i < 300; i++) {
            sum += straight(sum + i);
        }
        for (int i = 0; i < 6; i++) {
            sum += text("abc");
        }
        for (int i = 0; BOXING && i < 20; i++) {
            sum += map(MAP, number);
        }
        return sum;
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < 1024; i += 2) {
            MAP.put(i, i);
        }
        new Random(1).nextBytes(BYTES);
        Arrays.setAll(NUMBERS, i -> i);
        Arrays.fill(SQUARE, 1.5);
        long enough = Long.parseLong(arguments[0]) * 1_000_000_000;
        long sum = 0;
        for (int number = 0; THREADS.getCurrentThreadCpuTime() < enough; number++) {
            sum += run(number);
        }
        System.out.println(sum);
    }
}
