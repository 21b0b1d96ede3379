package main

import (
	"debug/elf"
	"os"
	"regexp"
	"testing"
)

var ofGlibc = regexp.MustCompile(`^(ld-linux|libc\.|libm\.|libdl\.|libpthread\.|libresolv\.)`)

// The program of these tests contains all variants that were built, including 3:native.
func TestTheProgramNeedsNoLibraryButThoseOfGlibc(t *testing.T) {
	bound(t, "3:native")
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	libraries, err := program.ImportedLibraries()
	if err != nil || len(libraries) == 0 {
		t.Fatal(libraries, err)
	}
	for _, library := range libraries {
		if !ofGlibc.MatchString(library) {
			t.Errorf("%s, of %v", library, libraries)
		}
	}
}
