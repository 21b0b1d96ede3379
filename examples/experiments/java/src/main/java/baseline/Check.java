package baseline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;

/**
 * All that is wrong with an experiment, in its order. By hand rather than by annotations: a class for Jackson to fill would
 * stop at the first value of a wrong type.
 */
final class Check {
    /** A body of 64 KiB has room for thousands. */
    private static final int MOST_PROBLEMS = 100;
    /** 33.3 + 33.3 + 33.4 is not quite 100. */
    private static final double TOLERANCE = 1e-6;
    private static final int LONGEST_NAME = 200;

    private final List<Problem> problems = new ArrayList<>();

    List<Problem> problems(JsonNode experiment) {
        if (!experiment.isObject()) {
            add("", "must be an object");
            return problems;
        }
        checkName(experiment, "");
        JsonNode variants = experiment.get("variants");
        if (variants == null) {
            add("variants", "is missing");
        } else if (!variants.isArray()) {
            add("variants", "must be a list");
        } else if (variants.isEmpty()) {
            add("variants", "must not be empty");
        } else {
            checkVariants(variants);
        }
        return problems;
    }

    private void checkVariants(JsonNode variants) {
        Map<String, Integer> places = new HashMap<>();
        double sum = 0; // NaN once a share is none
        for (int place = 0; place < variants.size(); place++) {
            if (isFull()) {
                return;
            }
            JsonNode variant = variants.get(place);
            String path = "variants[" + place + "]";
            if (!variant.isObject()) {
                add(path, "must be an object");
                sum = Double.NaN;
                continue;
            }
            if (checkName(variant, path + ".")) {
                Integer first = places.putIfAbsent(variant.get("name").stringValue(), place);
                if (first != null) {
                    add(path + ".name", "is the name of variants[" + first + "] too");
                }
            }
            sum += checkedShare(variant.get("allocation_percent"), path + ".allocation_percent");
        }
        if (Math.abs(sum - 100) > TOLERANCE) {
            add("variants", "the shares are " + NumberJson.of(sum) + " in all, not 100");
        }
    }

    private boolean checkName(JsonNode owner, String path) {
        JsonNode name = owner.get("name");
        if (name == null) {
            add(path + "name", "is missing");
        } else if (!name.isString()) {
            add(path + "name", "must be text");
        } else if (name.stringValue().isEmpty() || characters(name.stringValue()) > LONGEST_NAME) {
            add(path + "name", "must have 1 to 200 characters");
        } else {
            return true;
        }
        return false;
    }

    /** A character beyond U+FFFF counts once, although it takes two of Java's. */
    private static int characters(String text) {
        return text.codePointCount(0, text.length());
    }

    /** The share, or NaN. */
    private double checkedShare(JsonNode share, String path) {
        if (share == null) {
            add(path, "is missing");
        } else if (!share.isNumber()) {
            add(path, "must be a number");
        } else if (share.doubleValue() < 0 || share.doubleValue() > 100) {
            add(path, "must be from 0 to 100");
        } else {
            return share.doubleValue();
        }
        return Double.NaN;
    }

    private void add(String path, String message) {
        if (!isFull()) {
            problems.add(new Problem(path, message));
        }
    }

    private boolean isFull() {
        return problems.size() >= MOST_PROBLEMS;
    }
}
