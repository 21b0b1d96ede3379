package main

import (
	"log"
	"os"

	{{package}} "{{module}}"
)

func main() {
	rust, err := {{package}}.Bind({{package}}.Options{Tier: os.Args[1]})
	if err == nil {
		err = rust.Ready()
	}
	if err == nil {
		err = rust.{{check}}()
	}
	if err != nil {
		log.Fatal(err)
	}
	_ = rust.Close()
}
