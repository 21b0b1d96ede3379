// Sums of JSON over HTTP.
//
// Settings come from the environment: those of settings.go, from the runtime GOMAXPROCS, and what `jsonsum` reads itself,
// TIERUP_TIER above all.
package main

import (
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
)

// patience is how long requests may take that are under way when the server is asked to end.
const patience = 10 * time.Second

func main() {
	log.SetFlags(0)
	settings, err := readSettings(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	rust, err := bind()
	if err != nil {
		log.Fatal(err)
	}
	defer rust.Close()
	listener, err := net.Listen("tcp", settings.address)
	if err != nil {
		log.Fatal(err)
	}
	// Tier 0 is the service as it was. All other rows post in the best way that Go has, so that what is between them and
	// `0:tuned` is the function and nothing else.
	transport := asItWas
	if rust.Tier() != "0" {
		transport = pooled
	}
	server := &http.Server{
		Handler:           app{rust, newDownstream(settings, transport())},
		ReadHeaderTimeout: 30 * time.Second,
		MaxHeaderBytes:    maxHeaderBytes,
	}
	ended := make(chan error, 1)
	go func() {
		asked, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		<-asked.Done()
		waited, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		ended <- server.Shutdown(waited)
	}()
	fmt.Printf("listening on http://%s (tier %s)\n", listener.Addr(), rust.Tier())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	if err := <-ended; err != nil {
		log.Print(err)
	}
}
