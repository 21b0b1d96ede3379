//! A server in Go: a second build counts the calls of its functions.

use std::fs;

use super::{nothing_is_left, profile, texts, world};
use crate::write;

const MAIN: &str = r#"package main

import (
	"fmt"
	"net/http"
	"os"
	"sync"

	"example.org/shop/price"
)

type shop struct{ rate float64 }

func (s *shop) total() float64 { return price.Of(3) * s.rate }

//go:noinline
func sum[T int | float64](values []T) (sum T) {
	for round := 0; round < 400; round++ {
		for _, value := range values {
			sum += value
		}
	}
	return sum
}

func main() {
	prices := make([]float64, 1000)
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		var group sync.WaitGroup
		for n := 0; n < 3; n++ {
			group.Add(1)
			go func() {
				defer group.Done()
				price.Weigh(len(request.URL.Path))
			}()
		}
		group.Wait()
		fmt.Fprintln(response, (&shop{rate: 2}).total(), sum(prices))
	})
	if err := http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil); err != nil {
		panic(err)
	}
}
"#;

/// It uses the same names as the imports of the file that tierup adds to the package.
const PRICE: &str = r#"// Package price computes {.
package price

import "math"

var net, os, fmt = 1, 2, 3

//go:noinline
func Weigh(n int) (weight float64) {
	for i := 0; i < 200_000; i++ {
		weight += math.Sqrt(float64(i + n + net))
	}
	return weight
}

//go:noinline
func Of(n int) float64 { sum := 0.0; for i := 0; i < 400_000; i++ { sum += math.Cbrt(float64(i + n + os + fmt)) }; return sum }
"#;

#[test]
fn calls_are_counted_in_all_packages_and_goroutines() {
    let folder = world();
    fs::remove_file(folder.path().join("package.json")).unwrap();
    let files = [("go.mod", "module example.org/shop\n\ngo 1.22\n"), ("main.go", MAIN), ("price/price.go", PRICE)];
    write(folder.path(), &files);
    let arguments = ["--command", "./server", "--prepare", "go build -o server .", "--host", "go", "--format", "json"];
    let output = profile(folder.path(), "4s", &arguments).output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let of = |name: &str| {
        let functions = report["functions"].as_array().unwrap();
        functions
            .iter()
            .find(|function| function["function"] == name)
            .unwrap_or_else(|| panic!("{name}: {out}"))
            .clone()
    };
    let calls = |name: &str| of(name)["calls_per_request"].as_f64();
    assert_eq!(calls("example.org/shop/price.Weigh"), Some(3.0), "{out}{err}");
    assert_eq!(calls("example.org/shop/price.Of"), Some(1.0), "{out}{err}");
    // All instances of a generic function share a counter, so they are not counted.
    assert_eq!(calls("main.sum[go.shape.float64]"), None, "{out}{err}");
    assert_eq!(of("example.org/shop/price.Weigh")["could_cross"], true, "{out}");
    assert_eq!(report["call_cost"]["microseconds"], 0.13, "{out}");
    // The handler's closure.
    let closure = of("main.main.func1");
    assert_eq!((&closure["candidate"], &closure["calls_per_request"]), (&false.into(), &serde_json::Value::Null));
    assert_eq!(closure["reason"], "no: it is a function without a name: give it one");

    // The last build is without counters, and no file is left beside it.
    let server = fs::read(folder.path().join("server")).unwrap();
    assert!(!server.windows(6).any(|bytes| bytes.eq_ignore_ascii_case(b"tierup")));
    assert_eq!(fs::read_dir(folder.path().join("price")).unwrap().count(), 1);
    nothing_is_left(folder.path());
}
