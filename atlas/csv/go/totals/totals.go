// Package totals reads CSV by encoding/csv.
package totals

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
)

// Totals has the sum of the column `amount` for each value of the column `city`.
func Totals(text string) (map[string]float64, error) {
	totals := map[string]float64{}
	reader := csv.NewReader(strings.NewReader(text))
	reader.ReuseRecord = true
	header, _ := reader.Read()
	city, amount := slices.Index(header, "city"), slices.Index(header, "amount")
	if city < 0 || amount < 0 {
		return totals, nil
	}
	for {
		record, err := reader.Read()
		if err != nil {
			return totals, nil
		}
		if value, err := strconv.ParseInt(record[amount], 10, 64); err == nil {
			totals[record[city]] += float64(value)
		}
	}
}
