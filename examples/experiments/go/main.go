// The API as it was in Go: experiments over HTTP.
//
// Settings come from the environment: HOST, PORT, EXPERIMENTS_NOW, from the runtime GOMAXPROCS, and what the package of the
// function reads, TIERUP_TIER above all.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// grace is how long requests in flight may take once the server was told to stop.
const grace = 10 * time.Second

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	host := os.Getenv("HOST")
	if host == "" {
		host = "127.0.0.1"
	}
	port, _, err := wholeNumber("PORT", 3000, 65535)
	if err != nil {
		return err
	}
	// What JavaScript counts exactly, as the other servers do.
	fixed, isFixed, err := wholeNumber("EXPERIMENTS_NOW", 0, 1<<53-1)
	if err != nil {
		return err
	}
	now := func() int64 { return time.Now().Unix() }
	if isFixed {
		now = func() int64 { return fixed }
	}

	functions, err := bind()
	if err != nil {
		return err
	}
	defer functions.Close()

	// How many connections may wait to be accepted is the system's limit.
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.FormatInt(port, 10)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("cannot listen on %s:%d: the port is in use; choose another with PORT", host, port)
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %s:%d: %w", host, port, err)
	}
	server := &http.Server{
		Handler:           newAPI(functions, now),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       60 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       65 * time.Second,
	}

	told, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Printf("listening on http://%s (tier %s)\n", listener.Addr(), functions.Tier())
	select {
	case err := <-failed:
		return fmt.Errorf("the server failed: %w", err)
	case <-told.Done():
	}
	// Told twice: at once.
	stop()
	ending, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		return fmt.Errorf("requests were still busy after %s", grace)
	}
	return nil
}

// wholeNumber reads a variable of the environment; empty is as good as absent.
func wholeNumber(name string, otherwise, most int64) (value int64, given bool, err error) {
	text := os.Getenv(name)
	if text == "" {
		return otherwise, false, nil
	}
	number, err := strconv.ParseUint(text, 10, 63)
	if err != nil || int64(number) > most {
		return 0, false, fmt.Errorf("%s must be a whole number from 0 to %d, not %q", name, most, text)
	}
	return int64(number), true, nil
}
