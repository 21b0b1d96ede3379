package server

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"tierup.local/conformance"
)

const nothing = "conformance: your own code runs, at tier 0, as no variant is built here: run `tierup build`"

func TestMetricsSayThatNothingIsBuilt(t *testing.T) {
	t.Setenv("TIERUP_TIER", "")
	binding, err := conformance.Bind(conformance.Options{Baseline: &conformance.Functions{}})
	if err != nil {
		t.Fatal(err)
	}
	if found := binding.Metrics(); found.Tier != "0" || found.Asked != "" || found.Instead != nothing {
		t.Fatal(found)
	}
}

func TestMetricsSayWhyItFellBack(t *testing.T) {
	t.Setenv("TIERUP_FALLBACK", "1")
	binding, err := conformance.Bind(conformance.Options{Tier: "3", Baseline: &conformance.Functions{}})
	if err != nil {
		t.Fatal(err)
	}
	reason := "conformance cannot run at tier 3: no variant is built here: run `tierup build`"
	if found := binding.Metrics(); found.Tier != "0" || found.Asked != "3" || found.Instead != reason {
		t.Fatal(found)
	}
}

func TestAFallbackIsReportedOnce(t *testing.T) {
	said, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	own := os.Stderr
	os.Stderr = write
	defer func() { os.Stderr = own }()
	t.Setenv("TIERUP_FALLBACK", "2:core,0")
	for range 3 {
		if _, err := conformance.Bind(conformance.Options{Tier: "1:spawn", Baseline: &conformance.Functions{}}); err != nil {
			t.Fatal(err)
		}
	}
	_ = write.Close()
	text, err := io.ReadAll(said)
	expected := "conformance cannot run at tier 1:spawn: no variant is built here: run `tierup build`; falling back to tier 0\n"
	if err != nil || string(text) != expected {
		t.Fatalf("%q %v", text, err)
	}
}

func TestFallbackRowsCanBeListed(t *testing.T) {
	bind := func(listed string, baseline *conformance.Functions) (*conformance.Binding, error) {
		t.Setenv("TIERUP_FALLBACK", listed)
		return conformance.Bind(conformance.Options{Tier: "3", Baseline: baseline})
	}
	for _, listed := range []string{"1", " 1", "2:core,0", "2:core, 0 ", "0,", "0:tuned,0"} {
		if binding, err := bind(listed, &conformance.Functions{}); err != nil || binding.Tier() != "0" {
			t.Error(listed, binding, err)
		}
	}
	for _, off := range []string{"", "0", " 0 ", ","} {
		if _, err := bind(off, &conformance.Functions{}); err == nil || strings.Contains(err.Error(), "permits") {
			t.Errorf("%q: %v", off, err)
		}
	}
	for listed, words := range map[string]string{
		"2:core":      "\nnor at what TIERUP_FALLBACK permits:\n  conformance cannot run at tier 2:core: ",
		"2:core,0":    "\n  tier 0 needs the functions that conformance replaces",
		"2:core,sure": "TIERUP_FALLBACK: sure is no variant: use 1, or a list of 0 and 3:native, ",
		"nonsense":    "TIERUP_FALLBACK: nonsense is no variant: ",
		"2":           "TIERUP_FALLBACK: 2 is no variant: ",
		"1,0":         "TIERUP_FALLBACK: 1 is no variant: ",
		"0":           nothing[strings.LastIndex(nothing, "no variant"):],
	} {
		if _, err := bind(listed, nil); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", listed, err)
		}
	}
}

func TestAnErrorAndAPanicOfTheServersOwnAreErrors(t *testing.T) {
	for _, tier := range []string{"0", "0:memo"} {
		binding, err := conformance.Bind(conformance.Options{Tier: tier, Baseline: &conformance.Functions{
			EchoText:  func(text string) (string, error) { return text, nil },
			Fail:      func(words string) ([]byte, error) { return nil, errors.New(words) },
			DoNothing: func() error { panic("mine") },
		}})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			_, _ = binding.EchoText("x")
		}
		_, _ = binding.Fail("x")
		func() {
			defer func() {
				if reason := recover(); reason != "mine" {
					t.Error(reason)
				}
			}()
			_ = binding.DoNothing()
		}()
		found := binding.Metrics()
		if len(found.ABI) != 16 {
			t.Error(found)
		}
		expected := conformance.Metrics{Package: "conformance", Tier: tier, Asked: tier, ABI: found.ABI, Calls: 5, Errors: 2}
		if found != expected {
			t.Error(found)
		}
	}
}

func TestThePackageSaysOnceThatNothingIsBuilt(t *testing.T) {
	command := exec.Command(os.Args[0], "-test.run=^TestMetricsSayThatNothingIsBuilt$", "-test.count=2")
	said, err := command.CombinedOutput()
	if err != nil || strings.Count(string(said), nothing) != 1 {
		t.Fatal(err, string(said))
	}
}
