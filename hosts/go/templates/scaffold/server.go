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

	"tierup.local/PACKAGE"
)

func main() {
	// TIERUP_TIER decides how Slugify runs: 0 is the baseline, 3:native Rust in this process, …
	rust, err := PACKAGE.Bind(PACKAGE.Options{Baseline: &PACKAGE.Functions{Slugify: baseline.Slugify}})
	if err != nil {
		log.Fatal(err)
	}
	defer rust.Close()

	http.HandleFunc("GET /slug", func(response http.ResponseWriter, request *http.Request) {
		text := request.URL.Query().Get("text")
		if text == "" {
			http.Error(response, `query parameter "text" is missing`, http.StatusBadRequest)
			return
		}
		slug, err := rust.Slugify(text)
		var failed *PACKAGE.CallError
		var argument *PACKAGE.ArgumentError
		switch {
		case err == nil:
			fmt.Fprint(response, slug)
		case errors.As(err, &failed), errors.As(err, &argument):
			// The function's own error is the caller's to mend; a panic or a lost process is not.
			http.Error(response, err.Error(), http.StatusBadRequest)
		default:
			log.Printf("%s: %v", request.URL, err)
			http.Error(response, "internal error", http.StatusInternalServerError)
		}
	})
	http.HandleFunc("GET /livez", func(response http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(response, "ok")
	})
	http.HandleFunc("GET /readyz", func(response http.ResponseWriter, _ *http.Request) {
		if err := rust.CheckHealth(); err != nil {
			http.Error(response, err.Error(), http.StatusServiceUnavailable)
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
	fmt.Printf("listening on http://%s (tier %s)\n", listener.Addr(), rust.Tier())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}
