package main

import (
	"bytes"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// What the server answers to everybody is the contract, which `../node/test` checks.
func TestTheServer(t *testing.T) {
	if os.Getenv("TIERUP_URL") != "" {
		t.Skip("TIERUP_URL names another server")
	}
	rust, err := bind()
	if err != nil {
		t.Fatal(err)
	}
	defer rust.Close()
	for _, expected := range []struct {
		method, target string
		status         int
		body           string
	}{
		{"GET", "/livez", 200, "ok"},
		{"GET", "/readyz", 200, "ok"},
		{"GET", "/qrcode", 400, `missing "text" query param`},
		{"GET", "/qrcode?text=a&text=b", 400, `missing "text" query param`},
		{"GET", "/qrcode?text=" + strings.Repeat("x", 513), 400, "text must be <= 512 bytes"},
		{"GET", "/qrcode?text=%FF", 400, "malformed query string"},
		{"GET", "/other", 404, "not found"},
		{"POST", "/qrcode?text=x", 405, "method not allowed"},
	} {
		answer := ask(app{rust}, expected.method, expected.target)
		if answer.Code != expected.status || answer.Body.String() != expected.body {
			t.Errorf("%s %s: %d %q", expected.method, expected.target, answer.Code, answer.Body)
		}
	}
	for _, target := range []string{"/qrcode?text=tierup", "/qrcode?text=" + strings.Repeat("x", 512), "/qrcode?text=%F0%9F%A6%80"} {
		answer := ask(app{rust}, "GET", target)
		picture, err := png.Decode(bytes.NewReader(answer.Body.Bytes()))
		if answer.Code != 200 || answer.Header().Get("Content-Type") != "image/png" || err != nil {
			t.Fatal(target, answer.Code, err)
		}
		if size := picture.Bounds().Size(); size.X != 200 || size.Y != 200 {
			t.Errorf("%s: %v", target, size)
		}
	}
}

func ask(handler http.Handler, method, target string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(method, target, nil))
	return recorder
}
