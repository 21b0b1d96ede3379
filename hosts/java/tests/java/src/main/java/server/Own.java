package server;

import local.tierup.conformance.Functions;

/** Some functions of `conformance/` in Java, as a server could pass them. */
public final class Own implements Functions {
    @Override
    public String echoText(String text) {
        return text;
    }

    @Override
    public byte[] fail(String words) throws Exception {
        throw new Exception(words);
    }
}
