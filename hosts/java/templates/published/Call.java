import {{package}}.*;

class Call {
    public static void main(String[] arguments) {
        try ({{facade}} rust = {{facade}}.load(new Options().tier(arguments[0]))) {
            rust.ready();
            rust.{{check}}();
        }
    }
}
