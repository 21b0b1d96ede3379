// QR codes over HTTP.
//
// Settings come from the environment: HOST and PORT here, and what `qr` reads itself, TIERUP_TIER above all.
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
)

// patience is how long requests may take that are under way when the server is asked to end.
const patience = 10 * time.Second

func main() {
	log.SetFlags(0)
	rust, err := bind()
	if err != nil {
		log.Fatal(err)
	}
	defer rust.Close()
	listener, err := net.Listen("tcp", net.JoinHostPort(cmp.Or(os.Getenv("HOST"), "127.0.0.1"), cmp.Or(os.Getenv("PORT"), "42069")))
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: app{rust}, ReadHeaderTimeout: 30 * time.Second}
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
