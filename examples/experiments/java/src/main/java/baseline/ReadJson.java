package baseline;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JSON, read strictly: what readers disagree about is refused before Jackson, which has limits of its own, sees it. */
final class ReadJson {
    /** The server takes no larger body, so that nothing in one is too long for Jackson. */
    private static final int LONGEST = 1 << 20;
    private static final JsonMapper JACKSON = JsonMapper
            .builder(JsonFactory.builder()
                    // Whoever sends a body chooses its keys: none is kept, and none can collide with those that are.
                    .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                    .streamReadConstraints(StreamReadConstraints.builder().maxNumberLength(LONGEST).maxNameLength(LONGEST).build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private ReadJson() {}

    static JsonNode read(byte[] body) throws MalformedBody {
        String text;
        try {
            // Unlike String's constructor, a new decoder puts nothing in the place of what is no character.
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
        } catch (CharacterCodingException e) {
            throw new MalformedBody("the body is not UTF-8");
        }
        Scan.refuse(text);
        try {
            JsonNode value = JACKSON.readTree(text);
            if (!value.isMissingNode()) {
                return value;
            }
        } catch (JacksonException e) {
            // What exactly Jackson says is for Jackson's users.
        }
        throw new MalformedBody("the body is not JSON");
    }
}
