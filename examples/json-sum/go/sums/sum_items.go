// Package sums has how the service added up its items before there was any Rust.
//
// What it takes is what `JSON.parse` takes, because that is what clients have been talking to. encoding/json alone would differ
// in three points, so it is told better: bytes are UTF-8 and nothing else, a number is the float64 that is nearest to it, and how
// deep a body is nested is its sender's business.
package sums

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// largest is JavaScript's Number.MAX_SAFE_INTEGER.
const largest = 1<<53 - 1

// BadBody says why a body is not what the service takes.
type BadBody string

func (bad BadBody) Error() string { return string(bad) }

// SumItems is the sum of `value * 2` over the items of `{"items":[{"value":n}, …]}`. Its error is a BadBody.
func SumItems(body []byte) (int64, error) {
	document, err := parse(body)
	if err != nil {
		return 0, BadBody("the body is not JSON: " + err.Error())
	}
	object, _ := document.(map[string]any)
	items, isList := object["items"].([]any)
	if !isList {
		return 0, BadBody(`the body is not an object with an array of "items"`)
	}
	total := 0.0
	for place, item := range items {
		fields, _ := item.(map[string]any)
		number, isNumber := fields["value"].(json.Number)
		// What is beyond every float64 is an infinity, beside the error.
		value, _ := strconv.ParseFloat(string(number), 64)
		if !isNumber || value != math.Trunc(value) || math.Abs(value) > largest {
			return 0, BadBody(fmt.Sprintf("items[%d].value is not a whole number of up to 2^53 - 1", place))
		}
		total += value * 2
		if math.Abs(total) > largest {
			return 0, BadBody(fmt.Sprintf("overflow: at items[%d] the sum is beyond 2^53 - 1", place))
		}
	}
	return int64(total), nil
}

func parse(body []byte) (document any, err error) {
	if !utf8.Valid(body) {
		return nil, errors.New("it is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err = decoder.Decode(&document); err != nil {
		return deep(body)
	}
	return document, end(decoder)
}

// deep reads what Decode does not: more than 10,000 levels. It is slower, and needed as good as never, but for what is wrong.
func deep(body []byte) (any, error) {
	type open struct {
		list   []any
		object map[string]any
		key    *string
	}
	// What is not closed yet; the first is a list for the document itself.
	stack := []*open{{}}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	for len(stack) > 1 || len(stack[0].list) == 0 {
		token, err := decoder.Token()
		if err == io.EOF {
			return nil, io.ErrUnexpectedEOF
		} else if err != nil {
			return nil, err
		}
		inner := stack[len(stack)-1]
		var value any
		switch token {
		case json.Delim('['):
			stack = append(stack, &open{})
			continue
		case json.Delim('{'):
			stack = append(stack, &open{object: map[string]any{}})
			continue
		case json.Delim(']'):
			value = append([]any{}, inner.list...)
		case json.Delim('}'):
			value = inner.object
		default:
			value = token
		}
		if _, isEnd := token.(json.Delim); isEnd {
			stack = stack[:len(stack)-1]
			inner = stack[len(stack)-1]
		}
		switch key, isText := value.(string); {
		case inner.object == nil:
			inner.list = append(inner.list, value)
		case inner.key == nil && isText:
			inner.key = &key
		case inner.key != nil:
			inner.object[*inner.key], inner.key = value, nil
		}
	}
	return stack[0].list[0], end(decoder)
}

// end is an error if anything stands behind the document.
func end(decoder *json.Decoder) error {
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("something stands behind it")
	}
	return nil
}
