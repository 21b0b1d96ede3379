package baseline;

import java.io.StringWriter;
import java.util.List;
import java.util.function.Consumer;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.JsonNode;

/** JSON as JavaScript's JSON.stringify writes it. */
final class WriteJson {
    private static final JsonFactory JACKSON = JsonFactory.builder()
            .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
            .build();

    private WriteJson() {}

    /** An experiment in which nothing is wrong, under this name. */
    static String experiment(String name, JsonNode variants) {
        return written(json -> {
            json.writeStringProperty("name", name);
            json.writeArrayPropertyStart("variants");
            for (JsonNode variant : variants) {
                json.writeStartObject();
                json.writeStringProperty("name", variant.get("name").stringValue());
                json.writeName("allocation_percent");
                json.writeNumber(NumberJson.of(variant.get("allocation_percent").doubleValue()));
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    static String problems(List<Problem> problems) {
        return written(json -> {
            json.writeArrayPropertyStart("errors");
            for (Problem problem : problems) {
                json.writeStartObject();
                json.writeStringProperty("path", problem.path());
                json.writeStringProperty("message", problem.message());
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    private static String written(Consumer<JsonGenerator> fields) {
        StringWriter text = new StringWriter(256);
        try (JsonGenerator json = JACKSON.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            fields.accept(json);
            json.writeEndObject();
        }
        return text.toString();
    }
}
