package local.tierup.witness;

/** A watched name: the methods of that name in a class. If it is known, the line says which one is meant. */
final class Watched {
    /** Whether calls are noted as well as counted. */
    static final boolean CALLS = {{calls}};

    static final Watched[] ALL = {{functions}};

    /** The name in class files: {@code shop/Cart$Line}. */
    final String className;

    final String name;
    /** The line, or 0 if it is not known. */
    final int line;

    private Watched(String className, String name, int line) {
        this.className = className;
        this.name = name;
        this.line = line;
    }
}
