package main

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRequests(t *testing.T) {
	const (
		body   = `{"name":"x","variants":[{"name":"a","allocation_percent":100}]}`
		hashed = `{"name":"db251db6461498e4f29654b8c6e5ef24","variants":[{"name":"a","allocation_percent":100}]}`
	)
	wrong := func(path, message string) string {
		return `{"errors":[{"path":"` + path + `","message":"` + message + `"}]}`
	}
	tests := []struct {
		name, method, target, encoding, body string
		status                               int
		answer                               string
	}{
		{"an experiment", "POST", "/experiments", "", body, 200, body},
		{"a plain body", "POST", "/experiments", "Identity", body, 200, body},
		{"a fingerprint", "POST", "/experiments?a=b&fingerprint=md5", "", body, 200, hashed},
		{"another fingerprint", "POST", "/experiments?fingerprint=sha1", "", body, 400, wrong("?fingerprint", "must be md5")},
		{"a compressed body", "POST", "/experiments", "gzip", body, 415, wrong("", "a compressed body is not read")},
		{"a large body", "POST", "/experiments", "", strings.Repeat(" ", largest+1), 413, wrong("", "the body is larger than 64 KiB")},
		{"another method", "PUT", "/experiments", "", body, 405, wrong("", "only POST is answered here")},
		{"another path", "POST", "/experiments/", "", body, 404, wrong("", "there is nothing here")},
		{"readiness", "GET", "/readyz", "", "", 200, "ok"},
	}
	functions, err := bind()
	if err != nil {
		t.Fatal(err)
	}
	defer functions.Close()
	api := newAPI(functions, func() int64 { return 0 })
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			request := httptest.NewRequest(test.method, test.target, strings.NewReader(test.body))
			request.Header.Set("Content-Encoding", test.encoding)
			recorder := httptest.NewRecorder()
			api.ServeHTTP(recorder, request)
			if recorder.Code != test.status || recorder.Body.String() != test.answer {
				t.Errorf("%d %s\nnot %d %s", recorder.Code, recorder.Body, test.status, test.answer)
			}
		})
	}
}
