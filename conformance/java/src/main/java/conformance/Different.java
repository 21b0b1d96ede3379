package conformance;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import local.tierup.conformance.Functions;

/** Functions of a server, for rollouts (tier 0:different): like those in Rust, but for some inputs. */
public class Different implements Functions {
    @Override
    public String echoText(String text) throws Exception {
        return text.equals("😀") ? ":-)" : text;
    }

    @Override
    public String panicIf(boolean condition, String text) {
        return text.toUpperCase(Locale.ROOT);
    }

    @Override
    public byte[] fail(String words) throws Exception {
        if (words.equals("nothing")) {
            return new byte[0];
        }
        throw new Exception("own words for " + words);
    }

    @Override
    public long hangOn(String word) {
        return word.equals("changed") ? 0 : word.length();
    }

    @Override
    public byte[] makeBytes(long length) {
        byte[] bytes = new byte[(int) Math.min(length, 100)];
        Arrays.fill(bytes, (byte) 1);
        return bytes;
    }

    /** Changes its argument before anybody compares. */
    @Override
    public List<String> echoTexts(List<String> texts) {
        List<String> answer = List.copyOf(texts);
        texts.clear();
        return answer;
    }

    @Override
    public byte[] echoBytes(byte[] content) {
        return content;
    }

    @Override
    public long countCalls() {
        return 0;
    }
}
