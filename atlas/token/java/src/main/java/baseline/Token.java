package baseline;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signed tokens by javax.crypto. */
public final class Token {
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private Token() {}

    /** Whether the signature of {@code CONTENT.SIGNATURE} is the HMAC-SHA-256 of the content, in base64url without padding. */
    public static boolean verify(String token, String key) {
        int dot = token.lastIndexOf('.');
        if (dot < 0 || key.isEmpty()) {
            return false;
        }
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            byte[] right = BASE64.encode(mac.doFinal(token.substring(0, dot).getBytes(StandardCharsets.UTF_8)));
            return MessageDigest.isEqual(right, token.substring(dot + 1).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }
}
