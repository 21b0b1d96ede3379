package local.tierup.witness;

/** The watched methods: those of a name in a class, with a line of the one that is meant where that is known. */
final class Watched {
    /** Whether calls are noted, and not only counted. */
    static final boolean CALLS = {{calls}};

    static final Watched[] ALL = {{functions}};

    /** As class files have it: {@code shop/Cart$Line}. */
    final String className;

    final String name;
    /** 0 if it is not known. */
    final int line;

    private Watched(String className, String name, int line) {
        this.className = className;
        this.name = name;
        this.line = line;
    }
}
