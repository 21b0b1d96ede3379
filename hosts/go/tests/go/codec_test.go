package server

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"tierup.local/conformance"
)

// free binds functions at `0:free`, which encodes and decodes arguments and answers.
func free(t *testing.T, functions *conformance.Functions) *conformance.Binding {
	t.Helper()
	binding, err := conformance.Bind(conformance.Options{Tier: "0:free", Baseline: functions})
	if err != nil {
		t.Fatal(err)
	}
	return binding
}

func TestEverythingComesBackAsItWentIn(t *testing.T) {
	everything := conformance.Everything{
		Flag: true, Small: -128, Byte: 255, Whole: math.MinInt64, Large: math.MaxUint64, Size: 1, Single: 1.5,
		Double: math.Inf(-1), Text: "ä\x00😀", Bytes: []byte{0, 255}, MaybeText: conformance.Some(""),
		MaybeShape: conformance.ShapePolygon{Corners: []conformance.Point{{X: 1}}, FillColor: conformance.Some(conformance.ColorGreen)},
		Numbers:    []uint32{1}, Chunks: [][]byte{{}, {1}}, Grid: [][]float64{{}, {1, 2}},
		Counts: map[string]uint64{"b": 1, "a": 2}, Shapes: map[string][]conformance.Shape{"": {conformance.ShapeEmpty{}}},
		Color: conformance.ColorDarkBlue,
	}
	binding := free(t, &conformance.Functions{
		EchoEverything: func(value conformance.Everything) (conformance.Everything, error) { return value, nil },
	})
	// The first call records, the second replays the record.
	for range 2 {
		found, err := binding.EchoEverything(everything)
		if err != nil || !reflect.DeepEqual(found, everything) {
			t.Fatal(found, err)
		}
	}
}

func TestNothingIsEmptyRatherThanAbsent(t *testing.T) {
	binding := free(t, &conformance.Functions{
		EchoChunks: func(value [][]byte) ([][]byte, error) { return value, nil },
		EchoMap:    func(value map[string]int32) (map[string]int32, error) { return value, nil },
		EchoBytes:  func(value []byte) ([]byte, error) { return value, nil },
	})
	for range 2 {
		chunks, _ := binding.EchoChunks(nil)
		entries, _ := binding.EchoMap(nil)
		content, _ := binding.EchoBytes(nil)
		if chunks == nil || entries == nil || content == nil {
			t.Fatal(chunks, entries, content)
		}
	}
}

func TestTheBaselineGetsArgumentsThatRustRefuses(t *testing.T) {
	calls := 0
	binding := free(t, &conformance.Functions{EchoText: func(text string) (string, error) {
		calls++
		return text, nil
	}})
	for range 2 {
		if text, err := binding.EchoText("\xff"); text != "\xff" || err != nil {
			t.Fatal(text, err)
		}
	}
	if calls != 2 {
		t.Fatal(calls)
	}
}

func TestTheGoldenCall(t *testing.T) {
	answer := "golden"
	functions := &conformance.Functions{EchoText: func(string) (string, error) {
		if answer == "" {
			return "", errors.New("words")
		}
		return answer, nil
	}}
	binding, err := conformance.Bind(conformance.Options{Tier: "0", Baseline: functions})
	if err != nil {
		t.Fatal(err)
	}
	if err := binding.CheckHealth(); err != nil {
		t.Fatal(err)
	}
	for wrong, words := range map[string]string{"brass": "gave a wrong answer: its SHA-256 is", "": "failed: words"} {
		answer = wrong
		var unhealthy *conformance.HealthError
		if err := binding.CheckHealth(); !errors.As(err, &unhealthy) || !strings.Contains(unhealthy.Message, words) {
			t.Fatal(err)
		}
	}
}

func TestLabelsOfBaselines(t *testing.T) {
	for _, label := range []string{"", "free", "memo", "workers", "a b", "ä"} {
		_, err := conformance.Bind(conformance.Options{Baselines: map[string]*conformance.Functions{label: {}}})
		if err == nil || !strings.Contains(err.Error(), "cannot label a baseline") {
			t.Fatal(label, err)
		}
	}
}
