package server;

import local.tierup.conformance.Functions;

/** Functions that a server could hand over: some of `conformance/`, in Java. */
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
