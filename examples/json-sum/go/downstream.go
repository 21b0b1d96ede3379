package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// downstream is the service behind this one. What may have arrived is not sent again: net/http repeats a POST only if nothing
// of it was written.
type downstream struct {
	process string
	timeout time.Duration
	client  *http.Client
}

// asItWas is what most would write: it keeps two connections, and opens a new one for whatever comes beside.
func asItWas() http.RoundTripper { return http.DefaultTransport }

// pooled is what a Go engineer would do about that.
func pooled() http.RoundTripper {
	// Many servers close connections that rest for five seconds, and a sum that is sent at that very moment is lost.
	return &http.Transport{MaxIdleConnsPerHost: 1024, IdleConnTimeout: 4 * time.Second, DisableCompression: true}
}

func newDownstream(settings settings, transport http.RoundTripper) downstream {
	// A redirect is an answer as any other.
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return downstream{settings.process, settings.timeout, &http.Client{Transport: transport, CheckRedirect: refuse}}
}

// post hands a sum on, and waits for the whole answer. Its error says that the service did not take the sum.
func (downstream downstream) post(ctx context.Context, sum int64) error {
	ctx, cancel := context.WithTimeout(ctx, downstream.timeout)
	defer cancel()
	body := strconv.AppendInt([]byte(`{"sum":`), sum, 10)
	request, err := http.NewRequestWithContext(ctx, "POST", downstream.process, bytes.NewReader(append(body, '}')))
	if err != nil {
		return noAnswer(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := downstream.client.Do(request)
	if err != nil {
		return noAnswer(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return noAnswer(err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("downstream answered with status %d", response.StatusCode)
	}
	return nil
}

func noAnswer(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no answer from downstream (timeout)")
	}
	return fmt.Errorf("no answer from downstream (%w)", err)
}
