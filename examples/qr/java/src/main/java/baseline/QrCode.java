package baseline;

import com.google.zxing.BarcodeFormat;
import com.google.zxing.EncodeHintType;
import com.google.zxing.WriterException;
import com.google.zxing.client.j2se.MatrixToImageWriter;
import com.google.zxing.common.BitMatrix;
import com.google.zxing.qrcode.QRCodeWriter;
import com.google.zxing.qrcode.decoder.ErrorCorrectionLevel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Tier 0: how the server made its QR codes before there was any Rust. */
public final class QrCode {
    private static final int PIXELS = 200;
    private static final Map<EncodeHintType, ?> HINTS = Map.of(
            EncodeHintType.ERROR_CORRECTION, ErrorCorrectionLevel.L,
            EncodeHintType.CHARACTER_SET, StandardCharsets.UTF_8.name());

    private QrCode() {}

    /** A PNG of 200 x 200 pixels. */
    public static byte[] generateQrCode(String text) throws WriterException, IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        MatrixToImageWriter.writeToStream(matrix(text), "PNG", file);
        return file.toByteArray();
    }

    static BitMatrix matrix(String text) throws WriterException {
        return new QRCodeWriter().encode(text, BarcodeFormat.QR_CODE, PIXELS, PIXELS, HINTS);
    }
}
