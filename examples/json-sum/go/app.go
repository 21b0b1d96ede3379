package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"json-sum-go/sums"

	jsonsum "tierup.local/json-sum"
)

const (
	maxBytes       = 1 << 20
	maxHeaders     = 100
	maxHeaderBytes = 16 << 10
)

// bind takes the function from where TIERUP_TIER says.
func bind() (*jsonsum.Binding, error) {
	return jsonsum.Bind(jsonsum.Options{
		Baseline:  &jsonsum.Functions{SumItems: sums.SumItems},
		Baselines: map[string]*jsonsum.Functions{"tuned": {SumItems: sums.SumItemsTuned}},
	})
}

// app is what the server answers. It knows nothing of processes and ports. It has no http.ServeMux, which would redirect
// paths that it finds unclean.
type app struct {
	rust       *jsonsum.Binding
	downstream downstream
}

func (app app) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	allowed, known := map[string]string{"/": "POST", "/livez": "GET, HEAD", "/readyz": "GET, HEAD"}[request.URL.Path]
	switch {
	case hasTooManyHeaders(request):
		answer(response, http.StatusRequestHeaderFieldsTooLarge,
			fmt.Sprintf("more than %d headers, or %d bytes of them", maxHeaders, maxHeaderBytes))
	case !known:
		answer(response, http.StatusNotFound, "not found")
	case !strings.Contains(" "+allowed+",", " "+request.Method+","):
		response.Header().Set("Allow", allowed)
		answer(response, http.StatusMethodNotAllowed, "method not allowed")
	case request.URL.Path == "/":
		app.sum(response, request)
	case request.URL.Path == "/readyz":
		app.ready(response)
	default:
		answer(response, http.StatusOK, "ok")
	}
}

func (app app) sum(response http.ResponseWriter, request *http.Request) {
	if isCompressed(request) {
		answer(response, http.StatusUnsupportedMediaType, "the body must not be compressed")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBytes))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		answer(response, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body must be <= %d bytes", maxBytes))
		return
	} else if err != nil {
		// Nobody reads it, or it was no HTTP.
		answer(response, http.StatusBadRequest, "the body did not arrive")
		return
	}
	sum, err := app.rust.SumItems(body)
	var ours sums.BadBody
	var theirs *jsonsum.CallError
	switch {
	case errors.As(err, &ours) || errors.As(err, &theirs):
		answer(response, http.StatusBadRequest, err.Error())
		return
	case err != nil:
		log.Printf("items could not be summed up: %v", err)
		answer(response, http.StatusInternalServerError, "failed to sum up the items")
		return
	}
	if err := app.downstream.post(request.Context(), sum); err != nil {
		answer(response, http.StatusBadGateway, strings.Join(strings.Fields(err.Error()), " "))
		return
	}
	response.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(response, `{"ok":true}`)
}

func (app app) ready(response http.ResponseWriter) {
	if err := app.rust.CheckHealth(); err != nil {
		answer(response, http.StatusServiceUnavailable, err.Error())
		return
	}
	answer(response, http.StatusOK, "ok")
}

// isCompressed is whether there is a body that says so.
func isCompressed(request *http.Request) bool {
	encodings := strings.Join(request.Header.Values("Content-Encoding"), ", ")
	return request.ContentLength != 0 && encodings != "" && !strings.EqualFold(encodings, "identity")
}

func hasTooManyHeaders(request *http.Request) bool {
	// net/http keeps these two apart.
	count, size := 1, len(request.RequestURI)+len(request.Host)
	for name, values := range request.Header {
		count += len(values)
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	return count > maxHeaders || size > maxHeaderBytes
}

func answer(response http.ResponseWriter, status int, text string) {
	response.Header().Set("Content-Type", "text/plain; charset=utf-8")
	response.WriteHeader(status)
	_, _ = io.WriteString(response, text)
}
