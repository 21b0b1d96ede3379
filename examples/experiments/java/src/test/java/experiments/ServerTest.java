package experiments;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.javalin.Javalin;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import local.tierup.experiments.Experiments;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the server answers to everybody is the contract, which `../node/test` checks. */
class ServerTest {
    private static final String BODY = "{\"name\":\"x\",\"variants\":[{\"name\":\"a\",\"allocation_percent\":100}]}";

    private static Experiments rust;
    private static Javalin server;

    @BeforeAll
    static void start() {
        rust = App.load();
        server = Listening.on("127.0.0.1", 0, new App(rust, () -> 0));
    }

    @AfterAll
    static void stop() {
        server.stop();
        rust.close();
    }

    private static void check(String method, String target, String encoding, String body, int status, String answer)
            throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + target))
                .header("Content-Encoding", encoding).method(method, BodyPublishers.ofString(body)).build();
        HttpResponse<String> found = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        assertEquals(status + " " + answer, found.statusCode() + " " + found.body(), method + " " + target);
    }

    private static String wrong(String path, String message) {
        return "{\"errors\":[{\"path\":\"" + path + "\",\"message\":\"" + message + "\"}]}";
    }

    @Test
    void requests() throws Exception {
        check("POST", "/experiments", "", BODY, 200, BODY);
        check("POST", "/experiments", "Identity", BODY, 200, BODY);
        String fingerprint = BODY.replace("\"x\"", "\"db251db6461498e4f29654b8c6e5ef24\"");
        check("POST", "/experiments?a=b&fingerprint=md5", "", BODY, 200, fingerprint);
        check("POST", "/experiments?fingerprint=sha1", "", BODY, 400, wrong("?fingerprint", "must be md5"));
        check("POST", "/experiments", "gzip", BODY, 415, wrong("", "a compressed body is not read"));
        String large = " ".repeat(Body.LARGEST + 1);
        check("POST", "/experiments", "", large, 413, wrong("", "the body is larger than 64 KiB"));
        check("POST", "/experiments", "", "{", 400, wrong("", "the body is not JSON"));
        check("POST", "/experiments", "", "[]", 422, wrong("", "must be an object"));
        check("PUT", "/experiments", "", BODY, 405, wrong("", "only POST is answered here"));
        check("POST", "/experiments/", "", BODY, 404, wrong("", "there is nothing here"));
        check("POST", "/livez", "", BODY, 404, wrong("", "there is nothing here"));
        check("GET", "/livez", "", "", 200, "ok");
        check("GET", "/readyz", "", "", 200, "ok");
        check("HEAD", "/livez", "", "", 200, "");
    }
}
