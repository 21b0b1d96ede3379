package main

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// settings are what the environment says. Whoever sets something that makes no sense is told, and the process ends.
type settings struct {
	address string
	// process is where sums are posted.
	process string
	// timeout is how long its whole answer may take.
	timeout time.Duration
}

func readSettings(variable func(string) string) (settings, error) {
	port, err := wholeNumber(variable, "PORT", "3000", 0, 65535)
	if err != nil {
		return settings{}, err
	}
	milliseconds, err := wholeNumber(variable, "DOWNSTREAM_TIMEOUT_MS", "5000", 1, 600_000)
	if err != nil {
		return settings{}, err
	}
	downstream, err := httpAddress(variable, "DOWNSTREAM_URL", "http://127.0.0.1:4000")
	if err != nil {
		return settings{}, err
	}
	return settings{
		address: net.JoinHostPort(cmp.Or(variable("HOST"), "127.0.0.1"), strconv.Itoa(port)),
		process: downstream + "/process",
		timeout: time.Duration(milliseconds) * time.Millisecond,
	}, nil
}

func wholeNumber(variable func(string) string, name, otherwise string, least, most int) (int, error) {
	text := cmp.Or(variable(name), otherwise)
	number, err := strconv.ParseUint(text, 10, 31)
	if err != nil || int(number) < least || int(number) > most {
		return 0, fmt.Errorf("%s must be a whole number from %d to %d, not %q", name, least, most, text)
	}
	return int(number), nil
}

// httpAddress is an address to which a path can be appended.
func httpAddress(variable func(string) string, name, otherwise string) (string, error) {
	text := cmp.Or(variable(name), otherwise)
	address, err := url.Parse(text)
	if err != nil || address.Scheme != "http" || address.Hostname() == "" || strings.ContainsAny(text, "?#") {
		return "", fmt.Errorf("%s must be an address such as %s, not %q", name, otherwise, text)
	}
	return strings.TrimRight(text, "/"), nil
}
