package programs

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"MODULE/internal/failure"
)

func TestAProgramThatCannotRunIsFoundWhenItIsOpened(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	for name, bytes := range map[string][]byte{
		"truncated": whole[:len(whole)/2], "no program": []byte("words"), "empty": nil,
	} {
		t.Setenv("TMPDIR", t.TempDir())
		var unavailable *failure.Error
		if err := New("slug", bytes).Open(); !errors.As(err, &unavailable) || unavailable.Kind != failure.Unavailable {
			t.Error(name, err)
		} else if !strings.HasPrefix(err.Error(), "the program of slug cannot run here: ") {
			t.Error(name, err)
		}
		if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
			t.Error(name, left, err)
		}
	}
}

func TestAProgramIsTriedOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its programs are no scripts")
	}
	for code, expected := range map[string]string{"0": "", "3": "the program of slug cannot run here: exit status 3"} {
		trials := filepath.Join(t.TempDir(), "trials")
		program := New("slug", []byte("#!/bin/sh\necho \"$@\" >>'"+trials+"'\nexit "+code+"\n"))
		for range 3 {
			err := program.Open()
			if err == nil {
				defer program.Close()
				err = errors.New("")
			}
			if err.Error() != expected {
				t.Error(code, err)
			}
		}
		if said, err := os.ReadFile(trials); string(said) != "--version\n" {
			t.Errorf("%s: %q %v", code, said, err)
		}
	}
}
