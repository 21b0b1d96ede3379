package pool

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"MODULE/internal/failure"
	"MODULE/internal/programs"
	"MODULE/internal/wire"
)

const abi = 7

// enough is longer than any step of these tests takes.
const enough = 60 * time.Second

// TestMain makes this program a companion as well, one that cannot start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "--tierup-companion" && os.Getenv("HANG") != "" {
		time.Sleep(time.Hour)
	}
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "--tierup-") {
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// loaded returns a pool whose companion is in the test. Each worker gets an order; further workers get the last one.
func loaded(t *testing.T, workers string, orders ...string) *pool {
	t.Helper()
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	socket := filepath.Join(folder, "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for number := 0; ; number++ {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go obey(connection, orders[min(number, len(orders)-1)])
		}
	}()
	t.Setenv("TIERUP_POOL_SOCKET", socket)
	return itself(t, workers)
}

// itself returns a pool whose program is this one.
func itself(t *testing.T, workers string) *pool {
	t.Helper()
	t.Setenv("TIERUP_WORKERS", workers)
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
	pool := variant.(*pool)
	t.Cleanup(func() {
		within(t, func() bool { pool.Close(); return true })
		if len(pool.busy) > 0 {
			t.Error(len(pool.busy), "workers are left")
		}
	})
	return pool
}

// obey is a worker that answers each frame with its arguments.
func obey(connection net.Conn, order string) {
	defer connection.Close()
	switch order {
	case "refuse":
		_, _ = connection.Write(append(make([]byte, 8), "it has no memory"...))
		return
	case "end":
		return
	case "hang":
		_, _ = io.ReadAll(connection)
		return
	case "late":
		time.Sleep(time.Second)
	}
	_, _ = connection.Write(binary.LittleEndian.AppendUint64(nil, abi))
	for {
		var head [8]byte
		if _, err := io.ReadFull(connection, head[:]); err != nil {
			return
		}
		// A request for pipes has no arguments. The empty answer means that there are no pipes.
		frame := make([]byte, binary.LittleEndian.Uint32(head[:]))
		_, _ = io.ReadFull(connection, frame[4:])
		binary.LittleEndian.PutUint32(frame, uint32(len(frame)-4))
		_, _ = connection.Write(frame)
	}
}

// within fails if the task does not end.
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

// call returns the error of a call, whose answer must equal its arguments.
func call(t *testing.T, pool *pool, text string) error {
	t.Helper()
	return within(t, func() error {
		answer, err := pool.Call(0, append(make([]byte, wire.Room), text...))
		if err != nil {
			return err
		}
		defer answer.Release()
		if string(answer.Bytes) != text {
			return errors.New("the answer is " + string(answer.Bytes))
		}
		return nil
	})
}

func succeeded(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func failed(t *testing.T, err error, kind failure.Kind, words string) {
	t.Helper()
	var found *failure.Error
	if !errors.As(err, &found) || found.Kind != kind || !strings.Contains(found.Message, words) {
		t.Fatalf("%v, not %s", err, words)
	}
}

func TestACompanionThatDoesNotStartIsAnError(t *testing.T) {
	pool := itself(t, "1")
	for range 2 {
		failed(t, call(t, pool, "text"), failure.Transport, "itself ended without an answer: exit status 3")
	}
	t.Setenv("HANG", "1")
	t.Setenv("TIERUP_START_TIMEOUT", "1")
	failed(t, within(t, itself(t, "1").Ready), failure.Transport,
		"itself did not start within 1 s (TIERUP_START_TIMEOUT): its process was ended")
}

func TestAFailedStartIsToldToItsCallAndNotToTheNext(t *testing.T) {
	pool := loaded(t, "2", "refuse", "ok", "refuse", "ok")
	failed(t, call(t, pool, "a"), failure.Transport, "it has no memory")
	succeeded(t, call(t, pool, "b"))
	failed(t, within(t, pool.Ready), failure.Transport, "it has no memory")
	succeeded(t, within(t, pool.Ready))
}

func TestCallsThatHaveAWorkerDoNotLearnThatAnotherDidNotStart(t *testing.T) {
	pool := loaded(t, "3", "ok", "refuse")
	succeeded(t, call(t, pool, "first"))
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if err := call(t, pool, "text"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestAWorkerThatEndsBeforeItsCallIsReplacedOnce(t *testing.T) {
	succeeded(t, call(t, loaded(t, "1", "end", "ok"), "text"))
	failed(t, call(t, loaded(t, "1", "end"), "text"), failure.Transport, "itself ended before it answered")
}

func TestACallDoesNotWaitForAStartLongerThanItMay(t *testing.T) {
	t.Setenv("TIERUP_CALL_TIMEOUT", "0.5")
	pool := loaded(t, "1", "hang", "hang", "ok")
	for range 2 {
		failed(t, call(t, pool, "text"), failure.Timeout, "no worker was free for the call within 0.5 s")
	}
	succeeded(t, call(t, pool, "text"))
}

func TestCloseWaitsForACallWhoseWorkerIsStarting(t *testing.T) {
	pool := loaded(t, "1", "late")
	succeeded(t, closedDuring(t, pool))
	failed(t, call(t, pool, "late"), failure.Transport, "the pool is closed")
}

func TestCloseGivesUpAStartThatHangs(t *testing.T) {
	pool := loaded(t, "1", "hang")
	pool.limits.Grace = 100 * time.Millisecond
	failed(t, closedDuring(t, pool), failure.Transport, "closed")
}

// closedDuring closes a pool while a call's worker is starting, and returns that call's error.
func closedDuring(t *testing.T, pool *pool) error {
	t.Helper()
	err := make(chan error, 1)
	go func() { err <- call(t, pool, "first") }()
	for isBusy := false; !isBusy; time.Sleep(time.Millisecond) {
		pool.mutex.Lock()
		isBusy = len(pool.busy) > 0
		pool.mutex.Unlock()
	}
	within(t, func() bool { pool.Close(); return true })
	return <-err
}
