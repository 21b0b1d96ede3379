// A small server: GET /slug?text=…
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"server/baseline"

	rust "{{module}}"
)

func main() {
	// TIERUP_TIER decides how Slugify runs: 0 is the baseline, 3:native Rust in this process, …
	functions, err := rust.Bind(rust.Options{Baseline: &rust.Functions{Slugify: baseline.Slugify}})
	if err != nil {
		log.Fatal(err)
	}
	defer functions.Close()

	http.HandleFunc("GET /slug", func(response http.ResponseWriter, request *http.Request) {
		text := request.URL.Query().Get("text")
		if text == "" {
			fail(response, http.StatusBadRequest, `query parameter "text" is missing`)
			return
		}
		answer, err := functions.Slugify(text)
		var failed *rust.CallError
		var argument *rust.ArgumentError
		switch {
		case err == nil:
			fmt.Fprint(response, answer)
		case errors.As(err, &failed), errors.As(err, &argument):
			// The function's own error is for the caller; the message of a panic or of a lost process is not.
			fail(response, http.StatusBadRequest, err.Error())
		default:
			log.Printf("%s: %v", request.URL, err)
			fail(response, http.StatusInternalServerError, "internal error")
		}
	})
	http.HandleFunc("GET /livez", func(response http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(response, "ok")
	})
	http.HandleFunc("GET /readyz", func(response http.ResponseWriter, _ *http.Request) {
		if err := functions.CheckHealth(); err != nil {
			log.Printf("not ready: %v", err)
			fail(response, http.StatusServiceUnavailable, "not ready")
			return
		}
		fmt.Fprint(response, "ok")
	})

	address := net.JoinHostPort(cmp.Or(os.Getenv("HOST"), "127.0.0.1"), cmp.Or(os.Getenv("PORT"), "8080"))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan struct{})
	go func() {
		asked, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		<-asked.Done()
		_ = server.Shutdown(context.Background())
		close(stopped)
	}()
	fmt.Printf("listening on http://%s (tier %s)\n", listener.Addr(), functions.Tier())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

// fail answers with exactly this text; http.Error would add a newline.
func fail(response http.ResponseWriter, status int, text string) {
	response.Header().Set("Content-Type", "text/plain; charset=utf-8")
	response.WriteHeader(status)
	fmt.Fprint(response, text)
}
