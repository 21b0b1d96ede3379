package baseline;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** CSV by commons-csv. */
public final class Totals {
    private static final CSVFormat FORMAT = CSVFormat.RFC4180.builder()
            .setHeader()
            .setSkipHeaderRecord(true)
            .setAllowMissingColumnNames(true)
            .get();

    private Totals() {}

    /** The sum of the column {@code amount} for each value of the column {@code city}. */
    public static Map<String, Double> totals(String csv) {
        Map<String, Double> totals = new HashMap<>();
        try (CSVParser parser = CSVParser.parse(new StringReader(csv), FORMAT)) {
            Integer city = parser.getHeaderMap().get("city");
            Integer amount = parser.getHeaderMap().get("amount");
            if (city == null || amount == null) {
                return totals;
            }
            for (CSVRecord row : parser) {
                totals.merge(row.get(city), (double) Long.parseLong(row.get(amount)), Double::sum);
            }
            return totals;
        } catch (IOException | UncheckedIOException e) {
            return Map.of();
        }
    }
}
