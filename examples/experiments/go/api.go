package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"strconv"
	"strings"

	rust "tierup.local/experiments"
)

// largest is the largest body, in bytes.
const largest = 64 << 10

// newAPI answers experiments by the function as it is bound. now gives the time in seconds since 1970.
func newAPI(functions *rust.Binding, now func() int64) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /experiments", func(w http.ResponseWriter, r *http.Request) { postExperiment(w, r, functions, now) })
	mux.HandleFunc("/experiments", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", "POST")
		refuse(w, http.StatusMethodNotAllowed, "", "only POST is answered here")
	})
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, r *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := functions.CheckHealth(); err != nil {
			say(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		say(w, http.StatusOK, "ok")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "", "there is nothing here")
	})
	return mux
}

func postExperiment(w http.ResponseWriter, r *http.Request, functions *rust.Binding, now func() int64) {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		refuse(w, http.StatusUnsupportedMediaType, "", "a compressed body is not read")
		return
	}
	// The body is read before anything is answered, so that the connection can be used again.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largest))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge, "", "the body is larger than 64 KiB")
		return
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "", "the request cannot be read")
		return
	}
	fingerprint, ok := wantsFingerprint(r.URL.RawQuery)
	if !ok {
		refuse(w, http.StatusBadRequest, "?fingerprint", "must be md5")
		return
	}
	var fingerprintAt *uint64
	if fingerprint {
		fingerprintAt = rust.Some(uint64(now()))
	}
	outcome, err := functions.CreateExperiment(body, fingerprintAt)
	if err != nil {
		log.Printf("an experiment could not be checked: %v", err)
		refuse(w, http.StatusInternalServerError, "", "the experiment could not be checked")
		return
	}
	answer, status := answerOf(outcome)
	reply(w, status, "application/json", []byte(answer))
}

// wantsFingerprint takes parameters as they were sent: fingerprint=md5 needs no decoding. Another fingerprint is not ok.
func wantsFingerprint(query string) (wanted, ok bool) {
	for parameter := range strings.SplitSeq(query, "&") {
		switch name, value, _ := strings.Cut(parameter, "="); {
		case name != "fingerprint":
		case value != "md5":
			return false, false
		default:
			wanted = true
		}
	}
	return wanted, true
}

func refuse(w http.ResponseWriter, status int, path, message string) {
	reply(w, status, "application/json", problems{{path, message}}.json())
}

func say(w http.ResponseWriter, status int, text string) {
	reply(w, status, "text/plain; charset=utf-8", []byte(text))
}

func reply(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A client that went away cannot be told so.
	_, _ = w.Write(body)
}
