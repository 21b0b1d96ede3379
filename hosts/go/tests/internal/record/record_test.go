package record

import (
	"strings"
	"testing"
)

func TestByADamagedRecordNothingRuns(t *testing.T) {
	for _, text := range []string{"{ \"abi\": ", "[]", "null", "{}"} {
		record := Read([]byte(text))
		if reason := record.WhyNot("3:native", "abi"); !strings.HasPrefix(reason, "built.json is damaged (") {
			t.Error(text, reason)
		}
		// The server's own code must not run unasked.
		if !record.IsStale("abi") || record.IsEmpty() {
			t.Error(text, record)
		}
	}
	if record := Read(nil); !record.IsEmpty() || record.IsStale("abi") {
		t.Error(record)
	}
}
