package main

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// tolerance is how far from 100 the shares may be in all: 33.3 + 33.3 + 33.4 is not quite 100.
const tolerance = 1e-6

type experiment struct {
	name     string
	variants []variant
}

type variant struct {
	name  string
	share float64 // from 0 to 100
}

// createExperiment reads an experiment from JSON, checks it, and writes it as it is answered. With a time in seconds since
// 1970, its name is replaced by the MD5 of name and time. What comes back with an error is the list of what is wrong.
func createExperiment(body []byte, fingerprintAt *int64) (answer []byte, status int) {
	value, err := readJSON(body)
	if err != nil {
		var malformed problems
		malformed.add("", err.Error())
		return malformed.json(), 400
	}
	found, wrong := checkExperiment(value)
	if len(wrong) > 0 {
		return wrong.json(), 422
	}
	if fingerprintAt != nil {
		sum := md5.Sum(fmt.Appendf(nil, "%s-%d", found.name, *fingerprintAt))
		found.name = hex.EncodeToString(sum[:])
	}
	return found.json(), 200
}

func checkExperiment(value any) (found experiment, wrong problems) {
	fields, ok := value.(map[string]any)
	if !ok {
		wrong.add("", "must be an object")
		return found, wrong
	}
	found.name, _ = checkName(fields, "", &wrong)
	variants, there := fields["variants"]
	list, ok := variants.([]any)
	switch {
	case !there:
		wrong.add("variants", "is missing")
	case !ok:
		wrong.add("variants", "must be a list")
	case len(list) == 0:
		wrong.add("variants", "must not be empty")
	default:
		found.variants = checkVariants(list, &wrong)
	}
	return found, wrong
}

func checkVariants(list []any, wrong *problems) []variant {
	variants := make([]variant, 0, len(list))
	first := make(map[string]int, len(list))
	sum := 0.0 // NaN once a share is none
	for index, value := range list {
		if wrong.full() {
			return nil
		}
		fields, ok := value.(map[string]any)
		if !ok {
			wrong.add(at(index), "must be an object")
			sum = math.NaN()
			continue
		}
		name, ok := checkName(fields, at(index)+".", wrong)
		if other, taken := first[name]; ok && taken {
			wrong.add(at(index)+".name", "is the name of "+at(other)+" too")
		} else if ok {
			first[name] = index
		}
		share, ok := checkShare(fields, index, wrong)
		if !ok {
			share = math.NaN()
		}
		sum += share
		variants = append(variants, variant{name, share})
	}
	if math.Abs(sum-100) > tolerance {
		wrong.add("variants", "the shares are "+string(appendNumber(nil, sum))+" in all, not 100")
	}
	return variants
}

func checkName(fields map[string]any, path string, wrong *problems) (string, bool) {
	value, there := fields["name"]
	name, ok := value.(string)
	switch {
	case !there:
		wrong.add(path+"name", "is missing")
	case !ok:
		wrong.add(path+"name", "must be text")
	case name == "" || len(name) > 200 && utf8.RuneCountInString(name) > 200:
		wrong.add(path+"name", "must have 1 to 200 characters")
	default:
		return name, true
	}
	return "", false
}

func checkShare(fields map[string]any, index int, wrong *problems) (float64, bool) {
	path := func() string { return at(index) + ".allocation_percent" }
	value, there := fields["allocation_percent"]
	share, ok := value.(float64)
	switch {
	case !there:
		wrong.add(path(), "is missing")
	case !ok:
		wrong.add(path(), "must be a number")
	case share < 0 || share > 100:
		wrong.add(path(), "must be from 0 to 100")
	default:
		return share, true
	}
	return 0, false
}

func at(index int) string {
	return "variants[" + strconv.Itoa(index) + "]"
}
