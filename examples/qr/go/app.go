package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"

	"qr-go/baseline"
	"qr-go/query"

	"tierup.local/qr"
)

const maxBytes = 512

// bind takes the function from where TIERUP_TIER says.
func bind() (*qr.Binding, error) {
	return qr.Bind(qr.Options{
		Baseline:  &qr.Functions{GenerateQrCode: baseline.GenerateQrCode},
		Baselines: map[string]*qr.Functions{"tuned": {GenerateQrCode: baseline.GenerateQrCodeTuned}},
	})
}

// app is what the server answers. It knows nothing of processes and ports. It has no http.ServeMux, which would redirect
// paths that it finds unclean.
type app struct{ rust *qr.Binding }

func (app app) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	switch path := request.URL.Path; {
	case path != "/qrcode" && path != "/livez" && path != "/readyz":
		answer(response, http.StatusNotFound, "not found")
	case request.Method != http.MethodGet && request.Method != http.MethodHead:
		response.Header().Set("Allow", "GET, HEAD")
		answer(response, http.StatusMethodNotAllowed, "method not allowed")
	case path == "/qrcode":
		app.code(response, request.URL.RawQuery)
	case path == "/readyz":
		app.ready(response)
	default:
		answer(response, http.StatusOK, "ok")
	}
}

func (app app) code(response http.ResponseWriter, rawQuery string) {
	texts, err := query.Values(rawQuery, "text")
	switch {
	case err != nil:
		answer(response, http.StatusBadRequest, err.Error())
		return
	case len(texts) != 1 || texts[0] == "":
		answer(response, http.StatusBadRequest, `missing "text" query param`)
		return
	case len(texts[0]) > maxBytes:
		answer(response, http.StatusBadRequest, fmt.Sprintf("text must be <= %d bytes", maxBytes))
		return
	}
	png, err := app.rust.GenerateQrCode(texts[0])
	if err != nil {
		var failed *qr.CallError
		log.Printf("a code could not be made (its own error: %t): %v", errors.As(err, &failed), err)
		answer(response, http.StatusInternalServerError, "failed to generate the QR code")
		return
	}
	response.Header().Set("Content-Type", "image/png")
	_, _ = response.Write(png)
}

func (app app) ready(response http.ResponseWriter) {
	if err := app.rust.CheckHealth(); err != nil {
		answer(response, http.StatusServiceUnavailable, err.Error())
		return
	}
	answer(response, http.StatusOK, "ok")
}

func answer(response http.ResponseWriter, status int, text string) {
	response.Header().Set("Content-Type", "text/plain; charset=utf-8")
	response.WriteHeader(status)
	_, _ = io.WriteString(response, text)
}
