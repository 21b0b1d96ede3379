package baseline;

import com.google.zxing.WriterException;
import com.google.zxing.common.BitMatrix;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** 0:tuned: what an engineer could still gain without Rust. The same modules, a bit for each pixel, compressed quickly. */
public final class TunedQrCode {
    private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    private static final byte[] NONE = {};

    private TunedQrCode() {}

    /** A PNG of 200 x 200 pixels. */
    public static byte[] generateQrCode(String text) throws WriterException {
        BitMatrix matrix = QrCode.matrix(text);
        byte[] pixels = compressed(rows(matrix));
        // One bit of grey for each pixel.
        byte[] header = ByteBuffer.allocate(13).putInt(matrix.getWidth()).putInt(matrix.getHeight()).put((byte) 1).array();
        ByteBuffer file = ByteBuffer.allocate(SIGNATURE.length + 3 * 12 + header.length + pixels.length);
        file.put(SIGNATURE);
        chunk(file, "IHDR", header);
        chunk(file, "IDAT", pixels);
        chunk(file, "IEND", NONE);
        return file.array();
    }

    /** Each row behind its filter, which is none. Black is 0. */
    private static byte[] rows(BitMatrix matrix) {
        int stride = 1 + (matrix.getWidth() + 7) / 8;
        byte[] rows = new byte[stride * matrix.getHeight()];
        for (int y = 0; y < matrix.getHeight(); y++) {
            for (int x = 0; x < matrix.getWidth(); x++) {
                if (!matrix.get(x, y)) {
                    rows[y * stride + 1 + x / 8] |= (byte) (0x80 >> x % 8);
                }
            }
        }
        return rows;
    }

    private static byte[] compressed(byte[] bytes) {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        try {
            deflater.setInput(bytes);
            deflater.finish();
            byte[] room = new byte[bytes.length + 64];
            return Arrays.copyOf(room, deflater.deflate(room));
        } finally {
            deflater.end();
        }
    }

    private static void chunk(ByteBuffer file, String name, byte[] data) {
        file.putInt(data.length);
        int start = file.position();
        file.put(name.getBytes(StandardCharsets.US_ASCII)).put(data);
        CRC32 sum = new CRC32();
        sum.update(file.array(), start, file.position() - start);
        file.putInt((int) sum.getValue());
    }
}
