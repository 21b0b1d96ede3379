// The smallest possible server, which `tierup serve` starts here.
package main

import (
	"cmp"
	"fmt"
	"log"
	"net/http"
	"os"

	"conformance-go/own"

	"tierup.local/conformance"
)

func main() {
	rust, err := conformance.Bind(conformance.Options{Baseline: &own.Functions})
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /", func(response http.ResponseWriter, request *http.Request) {
		text, err := rust.EchoText(request.URL.Query().Get("text"))
		if err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(response, text)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "8080"), nil))
}
