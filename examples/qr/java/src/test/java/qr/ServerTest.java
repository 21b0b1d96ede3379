package qr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.javalin.Javalin;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;

import javax.imageio.ImageIO;

import local.tierup.qr.Qr;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the server answers to everybody is the contract, which `../node/test` checks. */
class ServerTest {
    private static Qr rust;
    private static Javalin app;

    @BeforeAll
    static void start() {
        rust = App.load();
        app = App.of(rust).start("127.0.0.1", 0);
    }

    @AfterAll
    static void stop() {
        app.stop();
        rust.close();
    }

    private static HttpResponse<byte[]> ask(String method, String target) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + target))
                .method(method, BodyPublishers.noBody()).build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofByteArray());
    }

    private static void check(String method, String target, int status, String body) throws Exception {
        HttpResponse<byte[]> answer = ask(method, target);
        assertEquals(status + " " + body, answer.statusCode() + " " + new String(answer.body()));
        assertEquals("text/plain; charset=utf-8", answer.headers().firstValue("content-type").orElse(""));
    }

    @Test
    void answersOtherThanPictures() throws Exception {
        check("GET", "/livez", 200, "ok");
        check("GET", "/readyz", 200, "ok");
        check("GET", "/qrcode", 400, "missing \"text\" query param");
        check("GET", "/qrcode?text=a&text=b", 400, "missing \"text\" query param");
        check("GET", "/qrcode?text=" + "x".repeat(513), 400, "text must be <= 512 bytes");
        check("GET", "/qrcode?text=%FF", 400, "malformed query string");
        check("GET", "/other", 404, "not found");
        check("POST", "/qrcode?text=x", 405, "method not allowed");
        check("HEAD", "/livez", 200, "");
    }

    @Test
    void pictures() throws Exception {
        for (String text : List.of("tierup", "x".repeat(512), "%F0%9F%A6%80")) {
            HttpResponse<byte[]> answer = ask("GET", "/qrcode?text=" + text);
            assertEquals(200, answer.statusCode());
            assertEquals("image/png", answer.headers().firstValue("content-type").orElse(""));
            BufferedImage picture = ImageIO.read(new ByteArrayInputStream(answer.body()));
            assertNotNull(picture);
            assertTrue(picture.getWidth() == 200 && picture.getHeight() == 200, picture.toString());
        }
    }
}
