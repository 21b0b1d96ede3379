// Made by tierup; the same in every package. Do not edit.
package PACKAGE.selftest;

import java.util.List;

/** A function's name, and the types of its parameters. */
record Signature(String name, List<Type> parameters) {}
