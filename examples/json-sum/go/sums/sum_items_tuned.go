package sums

import (
	"math"

	"github.com/go-json-experiment/json"
)

// SumItemsTuned is what there was to gain without leaving Go: a decoder of the second generation, and no maps. What it refuses
// may be right still (a key that comes twice, half a surrogate pair, 10,000 levels), so that is for the ordinary way to say, and
// so is what is wrong.
func SumItemsTuned(body []byte) (int64, error) {
	var document struct {
		Items []struct {
			Value *float64 `json:"value"`
		} `json:"items"`
	}
	if err := json.Unmarshal(body, &document); err != nil || document.Items == nil {
		return SumItems(body)
	}
	total := 0.0
	for _, item := range document.Items {
		if item.Value == nil || *item.Value != math.Trunc(*item.Value) || math.Abs(*item.Value) > largest {
			return SumItems(body)
		}
		total += *item.Value * 2
		if math.Abs(total) > largest {
			return SumItems(body)
		}
	}
	return int64(total), nil
}
