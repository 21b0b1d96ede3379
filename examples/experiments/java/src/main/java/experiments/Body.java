package experiments;

import io.javalin.http.Context;

import java.io.IOException;

/** A request's body, whatever its type, with a length or in chunks. */
final class Body {
    static final int LARGEST = 64 << 10;

    private Body() {}

    static byte[] read(Context context) throws Refused {
        String encoding = context.header("Content-Encoding");
        if (encoding != null && !encoding.isEmpty() && !encoding.equalsIgnoreCase("identity")) {
            throw new Refused(415, "", "a compressed body is not read");
        }
        byte[] body;
        try {
            body = context.bodyInputStream().readNBytes(LARGEST + 1);
        } catch (IOException e) {
            throw new Refused(400, "", "the request cannot be read");
        }
        if (body.length > LARGEST) {
            throw new Refused(413, "", "the body is larger than 64 KiB");
        }
        return body;
    }
}
