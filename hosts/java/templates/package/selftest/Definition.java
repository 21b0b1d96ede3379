// Made by tierup; the same in every package. Do not edit.
package PACKAGE.selftest;

import java.util.List;

/** A record has one case, an enum with data several; an enum without data is its words. */
record Definition(List<Object> words, List<Case> cases) {
    /** A record of Java's with the types of its components. */
    record Case(Class<?> type, List<Type> fields) {}

    static Definition of(Case... cases) {
        return new Definition(List.of(), List.of(cases));
    }

    static Definition of(Enum<?>... words) {
        return new Definition(List.of((Object[]) words), List.of());
    }
}
