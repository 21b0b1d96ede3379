package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"tierup.local/conformance"
)

func asType[E error](err error) (E, bool) {
	var found E
	ok := errors.As(err, &found)
	return found, ok
}

func TestIntegersKeepAllTheirBits(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		equal(t, uint64(math.MaxUint64))(c.EchoU64(math.MaxUint64))
		equal(t, int64(math.MinInt64))(c.EchoI64(math.MinInt64))
		equal(t, int8(-128))(c.EchoI8(-128))
		equal(t, uint64(math.MaxUint32))(c.EchoUsize(math.MaxUint32))
		_, err := c.EchoUsize(math.MaxUint32 + 1)
		// A usize of Wasm has 32 bits.
		if c.Tier() != "2:core" {
			if err != nil {
				t.Fatal(err)
			}
		} else if refused := failed[*conformance.ArgumentError](t, err); !strings.Contains(refused.Message, "a size does not fit this machine") {
			t.Fatal(refused)
		}
		values, err := c.EchoU64s([]uint64{1, math.MaxUint64})
		if err != nil || !reflect.DeepEqual(values, []uint64{1, math.MaxUint64}) {
			t.Fatal(values, err)
		}
	})
}

func TestFloatsKeepNaNAndTheSignOfZero(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		// A NaN with other bits than the usual one.
		strange := math.Float64frombits(0x7ff8_0000_dead_beef)
		found, err := c.EchoF64(strange)
		if err != nil || math.Float64bits(found) != math.Float64bits(strange) {
			t.Fatal(math.Float64bits(found), err)
		}
		equal(t, true)(c.IsNegativeZero(math.Copysign(0, -1)))
		equal(t, false)(c.IsNegativeZero(0))
		equal(t, float32(math.Inf(-1)))(c.EchoF32(float32(math.Inf(-1))))
		equal(t, math.SmallestNonzeroFloat64)(c.EchoF64(math.SmallestNonzeroFloat64))
	})
}

func TestTextAndBytesArriveToTheByte(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		for _, text := range []string{"", "a", "ä€😀", "\x00 in the middle \x00", "\ufeffbom", strings.Repeat("𝕏", 1000), "\r\n"} {
			equal(t, text)(c.EchoText(text))
			equal(t, uint32(len(text)))(c.UTF8Length(text))
		}
		for _, text := range []string{"\xff", "a\xed\xa0\x80", "\xc3"} {
			_, err := c.EchoText(text)
			if refused := failed[*conformance.ArgumentError](t, err); refused.Message != "text: expected text in UTF-8" {
				t.Fatal(refused)
			}
		}
		for _, length := range []int{0, 1, 511, 512, 513, 4095, 4096, 4097, 70_000} {
			content := bytes.Repeat([]byte{0, 255, 7}, length/3+1)[:length]
			found, err := c.EchoBytes(content)
			if err != nil || found == nil || !bytes.Equal(found, content) {
				t.Fatal(length, len(found), err)
			}
		}
		// Parts of a larger slice and nil are accepted.
		middle := []byte("in the middle")[3:6]
		for _, content := range [][]byte{middle, middle[:0], nil} {
			found, err := c.EchoBytes(content)
			if err != nil || found == nil || !bytes.Equal(found, content) {
				t.Fatal(content, found, err)
			}
		}
		equal(t, "trimmed")(c.Trimmed(" trimmed "))
		equal(t, "abc")(c.Class("a", "", "bc"))
		if err := c.DoNothing(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAnswersAreTheCallersOwn(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		first, _ := c.EchoBytes([]byte("first"))
		text, _ := c.EchoText("text")
		for range 100 {
			_, _ = c.EchoBytes([]byte("other"))
			_, _ = c.EchoText("else")
		}
		if string(first) != "first" || text != "text" {
			t.Fatal(string(first), text)
		}
	})
}

func TestRecordsEnumsMapsAndWhatMayBeAbsent(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		equal(t, conformance.Point{X: 1.5, Y: -2})(c.EchoPoint(conformance.Point{X: 1.5, Y: -2}))
		equal(t, conformance.ColorDarkBlue)(c.EchoColor(conformance.ColorDarkBlue))
		shapes := []conformance.Shape{
			conformance.ShapeEmpty{},
			conformance.ShapeCircle{Value: 2},
			conformance.ShapeLine{Value1: conformance.Point{X: 1, Y: 1}},
			conformance.ShapePolygon{Corners: []conformance.Point{}},
			conformance.ShapePolygon{Corners: []conformance.Point{{X: 1}}, FillColor: conformance.Some(conformance.ColorRed)},
		}
		found, err := c.EchoShapes(shapes)
		if err != nil || !reflect.DeepEqual(found, shapes) {
			t.Fatal(found, err)
		}
		keys := map[string]int32{"b": 1, "a": 2, "ä": 3, "": 4, "\uffff": 5, "😀": 6}
		if found, err := c.EchoMap(keys); err != nil || !reflect.DeepEqual(found, keys) {
			t.Fatal(found, err)
		}
		if found, err := c.EchoOption(nil); err != nil || found != nil {
			t.Fatal(found, err)
		}
		if found, err := c.EchoOption(conformance.Some[uint64](7)); err != nil || *found != 7 {
			t.Fatal(found, err)
		}
		if found, err := c.Longest(nil); err != nil || found != nil {
			t.Fatal(found, err)
		}
		if found, err := c.EchoTexts(nil); err != nil || found == nil {
			t.Fatal(found, err)
		}
	})
}

func TestWhatDoesNotFitIsRefusedWithItsPlace(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		check := func(expected string, err error) {
			t.Helper()
			if refused := failed[*conformance.ArgumentError](t, err); refused.Message != expected {
				t.Fatal(refused)
			}
		}
		_, err := c.EchoTexts([]string{"a", "\xff"})
		check("values[1]: expected text in UTF-8", err)
		_, err = c.EchoShape(nil)
		check("shape: expected a case of Shape, got <nil>", err)
		_, err = c.EchoColor(9)
		check("color: expected a Color, got Color(9)", err)
		_, err = c.EchoShapes([]conformance.Shape{conformance.ShapePolygon{FillColor: conformance.Some[conformance.Color](3)}})
		check("shapes[0].FillColor: expected a Color, got Color(3)", err)
		_, err = c.EchoMap(map[string]int32{"\xff": 1})
		check(`values["\xff"]: expected text in UTF-8`, err)
	})
}

func TestNamesThatMeanSomethingElsewhere(t *testing.T) {
	each(t, func(t *testing.T, c *conformance.Binding) {
		equal(t, "abc")(c.Class("a", "b", "c"))
		equal(t, uint8(7))(c.Delete(1, 2, 4))
		equal(t, uint32(9))(c.Type(9))
		equal(t, uint8(3))(c.Func(3))
		equal(t, uint8(3))(c.Close_(3))
		equal(t, "url 1")(c.Get_url(1))
		equal(t, "URL 1")(c.Get_URL(1))
		equal(t, "Url 1")(c.GetUrl(1))
		keywords := conformance.Keywords{Type: "t", Class: 1, Lambda: -1, Constructor: 2}
		equal(t, keywords)(c.EchoKeywords(keywords))
	})
}

func TestRecordsAreJSONAsRustNamesThem(t *testing.T) {
	text, err := json.Marshal(conformance.ShapePolygon{FillColor: conformance.Some(conformance.ColorDarkBlue)})
	if err != nil || string(text) != `{"corners":null,"fill_color":"DarkBlue"}` {
		t.Fatal(string(text), err)
	}
	var color conformance.Color
	if err := json.Unmarshal([]byte(`"Green"`), &color); err != nil || color != conformance.ColorGreen {
		t.Fatal(color, err)
	}
	if err := json.Unmarshal([]byte(`"Grey"`), &color); err == nil {
		t.Fatal("Grey is no case")
	}
}
