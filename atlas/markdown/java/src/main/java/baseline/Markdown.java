package baseline;

import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** Markdown by commonmark-java. */
public final class Markdown {
    private static final Parser PARSER = Parser.builder().build();
    private static final HtmlRenderer RENDERER = HtmlRenderer.builder().build();

    private Markdown() {}

    /** Renders CommonMark as HTML. */
    public static String render(String markdown) {
        return RENDERER.render(PARSER.parse(markdown));
    }
}
