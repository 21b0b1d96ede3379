package server;

import local.tierup.conformance.Functions;

/** What a server could hand over: some of the functions of `conformance/`, in Java. */
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
