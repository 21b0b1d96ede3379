package baseline;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/** CSV by FastCSV. */
public final class FastTotals {
    private FastTotals() {}

    /** The sum of the column {@code amount} for each value of the column {@code city}. */
    public static Map<String, Double> totals(String csv) {
        try {
            return totals(CsvReader.builder().ofCsvRecord(csv).iterator());
        } catch (CsvParseException e) {
            return Map.of();
        }
    }

    private static Map<String, Double> totals(Iterator<CsvRecord> rows) {
        Map<String, Double> totals = new HashMap<>();
        if (!rows.hasNext()) {
            return totals;
        }
        CsvRecord header = rows.next();
        int city = header.getFields().indexOf("city");
        int amount = header.getFields().indexOf("amount");
        if (city < 0 || amount < 0) {
            return totals;
        }
        while (rows.hasNext()) {
            CsvRecord row = rows.next();
            totals.merge(row.getField(city), (double) Long.parseLong(row.getField(amount)), Double::sum);
        }
        return totals;
    }
}
