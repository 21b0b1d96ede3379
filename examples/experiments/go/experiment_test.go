package main

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// contractCase is a case of ../contract.json.
type contractCase struct {
	What   string
	Body   json.RawMessage
	Hex    string
	Status int
	Answer string
}

func (c contractCase) bytes(t *testing.T) []byte {
	t.Helper()
	if c.Hex != "" {
		body, err := hex.DecodeString(c.Hex)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	var text string
	if json.Unmarshal(c.Body, &text) == nil {
		return []byte(text)
	}
	var parts [][2]any // texts, each so many times
	if err := json.Unmarshal(c.Body, &parts); err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		text += strings.Repeat(part[0].(string), int(part[1].(float64)))
	}
	return []byte(text)
}

func contract(t *testing.T) []contractCase {
	t.Helper()
	text, err := os.ReadFile("../contract.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []contractCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestContract(t *testing.T) {
	cases := contract(t)
	if len(cases) < 150 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.What, func(t *testing.T) {
			answer, status := createExperiment(c.bytes(t), nil)
			if status != c.Status || string(answer) != c.Answer {
				t.Errorf("%d %s\nnot %d %s", status, answer, c.Status, c.Answer)
			}
		})
	}
}

func TestFingerprint(t *testing.T) {
	now := int64(1_700_000_000)
	answer, status := createExperiment(contract(t)[0].bytes(t), &now)
	// $ printf new_home_page-1700000000 | md5sum
	if status != 200 || !strings.HasPrefix(string(answer), `{"name":"8cee5114650cd4092bbf5ccb020dd8c1",`) {
		t.Errorf("%d %s", status, answer)
	}
}

func FuzzReadJSON(f *testing.F) {
	for _, body := range []string{`{"name":"x"}`, `["\ud83e\udd80", 1e400]`, `"\`, "-"} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		createExperiment(body, nil)
	})
}
