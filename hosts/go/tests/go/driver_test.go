package server

import (
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The numbers of functions in `export` of conformance/tierup.toml.
const (
	echoBool = 0
	echoU8   = 2
	echoText = 14
	fail     = 44
)

type driver struct {
	requests *os.File
	answers  *os.File
}

func start(t *testing.T) driver {
	t.Helper()
	theirRequests, requests, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, theirAnswers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", filepath.Join(os.Getenv("PACKAGE"), "driver/start.sh"))
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	command.ExtraFiles = []*os.File{theirRequests, theirAnswers}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirRequests.Close(), theirAnswers.Close()
	t.Cleanup(func() {
		_ = requests.Close()
		if err := command.Wait(); err != nil {
			t.Error("the end of the requests is the end of the driver:", err)
		}
	})
	return driver{requests, answers}
}

// call returns the outcome and the content.
func (driver driver) call(t *testing.T, row string, function uint32, repeat uint32, arguments string) (byte, string) {
	t.Helper()
	request := text(row)
	request = binary.LittleEndian.AppendUint32(request, function)
	request = binary.LittleEndian.AppendUint32(request, repeat)
	request = append(request, text(arguments)...)
	go func() { _, _ = driver.requests.Write(text(string(request))) }()
	head := make([]byte, 4+13)
	if _, err := io.ReadFull(driver.answers, head); err != nil {
		t.Fatal(err)
	}
	length := binary.LittleEndian.Uint32(head[13:])
	if binary.LittleEndian.Uint32(head) != 13+length {
		t.Fatal("the answer is no frame")
	}
	content := make([]byte, length)
	if _, err := io.ReadFull(driver.answers, content); err != nil {
		t.Fatal(err)
	}
	return head[4], string(content)
}

func text(content string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(content))), content...)
}

func TestTheDriver(t *testing.T) {
	driver := start(t)
	check := func(row string, function, repeat uint32, arguments string, outcome byte, content string) {
		t.Helper()
		found, said := driver.call(t, row, function, repeat, arguments)
		if found != outcome || !strings.Contains(said, content) {
			t.Errorf("%s: %d %q, not %d %q", row, found, said, outcome, content)
		}
	}
	a := string(text("ä"))
	check("0", echoText, 3, a, 0, a)
	check("0:tuned", echoText, 1, a, 0, a)
	check("0:free", echoText, 100, a, 0, a)
	check("0:plain", echoU8, 1, "\x07", 0, "\x07")
	check("0", fail, 1, string(text("words")), 1, "words")
	check("0", echoBool, 1, "\x01", 4, "the baseline has no function EchoBool")
	check("0", echoBool, 1, "\x02", 3, "2 is not a valid bool")
	check("0:other", echoText, 1, a, 4, "Wrong is a func(int) int")
	check("0:unnamed", echoText, 1, a, 4, "`own.js` is no name of Go's")
	check("0:none", echoText, 1, a, 4, `Baselines["none"]`)
	check("3:native", echoText, 1, a, 4, "cannot run at tier 3:native: no variant is built here: run `tierup build`")
	check("9", echoText, 1, a, 4, "is not a tier")
	large := string(text(strings.Repeat("x", 5_000_000)))
	check("0", echoText, 1, large, 0, large)
}
