package pool

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"MODULE/internal/failure"
	"MODULE/internal/programs"
	"MODULE/internal/variants"
	"MODULE/internal/wire"
)

const abi = 7

// enough is more time than any step of these tests takes.
const enough = 60 * time.Second

// TestMain makes this program its own worker, which answers each frame with its arguments.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "--tierup-call" {
		os.Exit(3)
	}
	if len(os.Args) > 1 && os.Args[1] == "--tierup-worker" {
		seconds, _ := strconv.Atoi(os.Getenv("SECONDS_TO_START"))
		time.Sleep(time.Duration(seconds) * time.Second)
		obey()
		serve()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func serve() {
	_, _ = os.Stdout.Write(binary.LittleEndian.AppendUint64(nil, abi))
	for {
		var length [4]byte
		if _, err := io.ReadFull(os.Stdin, length[:]); err != nil {
			return
		}
		frame := make([]byte, binary.LittleEndian.Uint32(length[:]))
		_, _ = io.ReadFull(os.Stdin, frame)
		answer := binary.LittleEndian.AppendUint32(nil, uint32(len(frame)-4))
		_, _ = os.Stdout.Write(append(answer, frame[4:]...))
	}
}

// loaded is a pool of one worker, in this environment.
func loaded(t *testing.T, environment map[string]string) variants.Variant {
	t.Helper()
	t.Setenv("TIERUP_WORKERS", "1")
	for name, value := range environment {
		t.Setenv(name, value)
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	variant, err := Load(programs.New("itself", bytes), abi)
	if err != nil {
		t.Fatal(err)
	}
	return variant
}

// within fails unless the task ends.
func within[T any](t *testing.T, task func() T) T {
	t.Helper()
	done := make(chan T, 1)
	go func() { done <- task() }()
	select {
	case result := <-done:
		return result
	case <-time.After(enough):
		t.Fatal("it does not end")
		panic("unreachable")
	}
}

// call returns the error of a call, whose answer is compared with its arguments.
func call(variant variants.Variant, text string) error {
	answer, err := variant.Call(0, append(make([]byte, wire.Room), text...))
	if err != nil {
		return err
	}
	defer answer.Release()
	if string(answer.Bytes) != text {
		return errors.New("the answer is " + string(answer.Bytes))
	}
	return nil
}

func failed(t *testing.T, err error, kind failure.Kind, words string) {
	t.Helper()
	var found *failure.Error
	if !errors.As(err, &found) || found.Kind != kind || !strings.Contains(found.Message, words) {
		t.Fatalf("%v, not %s", err, words)
	}
}

func shut(t *testing.T, variant variants.Variant) {
	t.Helper()
	within(t, func() bool { variant.Close(); return true })
	pool := variant.(*pool)
	pool.mutex.Lock()
	defer pool.mutex.Unlock()
	if len(pool.busy) > 0 {
		t.Fatal(len(pool.busy), "workers are left")
	}
}

func TestAWorkerThatNeverStartsIsAnError(t *testing.T) {
	pool := loaded(t, map[string]string{"SECONDS_TO_START": "3600", "TIERUP_START_TIMEOUT": "1"})
	words := "itself did not start within 1 s (TIERUP_START_TIMEOUT): its process was ended"
	for range 2 {
		failed(t, within(t, func() error { return call(pool, "text") }), failure.Transport, words)
	}
	failed(t, within(t, pool.Ready), failure.Transport, words)
	shut(t, pool)
}

func TestACallDoesNotWaitForAStartLongerThanItMay(t *testing.T) {
	pool := loaded(t, map[string]string{"SECONDS_TO_START": "3600", "TIERUP_CALL_TIMEOUT": "0.5"})
	for range 2 {
		err := within(t, func() error { return call(pool, "text") })
		failed(t, err, failure.Timeout, "no worker was free for the call within 0.5 s")
	}
	shut(t, pool)
}

func TestAStartGoesOnWhenItsCallIsOver(t *testing.T) {
	pool := loaded(t, map[string]string{"SECONDS_TO_START": "3", "TIERUP_CALL_TIMEOUT": "2"})
	failed(t, within(t, func() error { return call(pool, "early") }), failure.Timeout, "within 2 s")
	if err := within(t, pool.Ready); err != nil {
		t.Fatal(err)
	}
	if err := within(t, func() error { return call(pool, "late") }); err != nil {
		t.Fatal(err)
	}
	shut(t, pool)
}
