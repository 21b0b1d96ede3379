package baseline;

import com.github.difflib.DiffUtils;
import com.github.difflib.patch.AbstractDelta;
import java.util.ArrayList;
import java.util.List;

/** Differences by java-diff-utils. */
public final class Diff {
    private Diff() {}

    /** How many lines a minimal difference removes and adds, together. */
    public static long changedLines(String before, String after) {
        long count = 0;
        for (AbstractDelta<String> delta : DiffUtils.diff(lines(before), lines(after)).getDeltas()) {
            count += delta.getSource().size() + delta.getTarget().size();
        }
        return count;
    }

    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>();
        for (int start = 0; start < text.length(); ) {
            int end = text.indexOf('\n', start);
            int next = end < 0 ? text.length() : end + 1;
            lines.add(text.substring(start, next));
            start = next;
        }
        return lines;
    }
}
