//! A method of Go whose types are the server's structs: the package has its own types, and a function converts.

use std::{fs, process::Command};

use super::check;
use crate::{passed, tierup};

const SERVER: &str = r#"package main

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"

	"shop/prices"
)

func main() {
	http.HandleFunc("GET /total", func(response http.ResponseWriter, request *http.Request) {
		var cart prices.Cart
		for _, text := range strings.Split(request.URL.Query().Get("prices"), ",") {
			price, _ := strconv.ParseInt(text, 10, 64)
			cart.Items = append(cart.Items, prices.Item{Price: prices.Cents(price)})
		}
		total, err := cart.Total(2)
		if err != nil {
			response.WriteHeader(http.StatusInternalServerError)
		}
		fmt.Fprint(response, total)
	})
	if err := http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil); err != nil {
		os.Exit(1)
	}
}
"#;

const PRICES: &str = r#"// Package prices adds up.
package prices

import "errors"

// Cart is what somebody buys.
type Cart struct {
	Items  []Item  `json:"items"`
	Coupon *string `json:"coupon,omitempty"`
}
"#;

const METHOD: &str = r#"package prices

// Total is what it costs.
func (cart Cart) Total(rate int) (Cents, error) {
	if rate < 0 {
		return 0, errNoRate
	}
	var sum Cents
	for _, item := range cart.Items {
		sum += item.Price * Cents(rate)
	}
	if cart.Coupon != nil {
		sum -= Cents(len(*cart.Coupon))
	}
	return sum, nil
}
"#;

const ITEM: &str = r#"
// Item is one of them.
type Item struct {
	Price  Cents             `json:"price"`
	UserID string            `json:"user_id"`
	Labels map[string]string `json:"labels"`
}

// Cents are money.
type Cents int64

var errNoRate = errors.New("there is no such rate")
"#;

const CONVERSION: &str = r#"// Package baseline has the function as it was before Rust: tier 0.
package baseline

import (
	"shop/prices"

	"tierup.local/hot"
)

// CartTotal converts.
func CartTotal(cart hot.Cart, rate int64) (int64, error) {
	var items []prices.Item
	for _, item := range cart.Items {
		items = append(items, prices.Item{Price: prices.Cents(item.Price), UserID: item.UserID, Labels: item.Labels})
	}
	total, err := prices.Cart{Items: items, Coupon: cart.Coupon}.Total(int(rate))
	return int64(total), err
}
"#;

const IN_RUST: &str = r#"    if rate < 0 {
        return Err("there is no such rate".to_owned());
    }
    let sum = cart.items.iter().fold(0_i64, |sum, item| sum.wrapping_add(item.price.wrapping_mul(rate)));
    Ok(sum.wrapping_sub(cart.coupon.as_ref().map_or(0, |coupon| coupon.len() as i64)))
"#;

#[test]
fn a_project_for_a_method_with_structs_fails_its_check_until_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("shop");
    for (name, text) in [
        ("go.mod", "module shop\n\ngo 1.25.0\n"),
        ("main.go", SERVER),
        ("prices/prices.go", &format!("{PRICES}{ITEM}")),
        ("prices/total.go", METHOD),
        ("requests.http", "GET /total?prices=3,4\n\n###\nGET /total?prices=5\n"),
    ] {
        fs::create_dir_all(project.join(name).parent().unwrap()).unwrap();
        fs::write(project.join(name), text).unwrap();
    }

    let init = ["init", "--function", "prices/total.go:Cart.Total", "--name", "hot"];
    let steps = passed("init", &tierup(&project, &init).output().unwrap());
    assert!(steps.contains("For `Cart`, `Cents`, `Item`, `int`, the package has types of its own."), "{steps}");
    assert!(steps.contains("hot.Functions{CartTotal: CartTotal}"), "{steps}");
    let settings = fs::read_to_string(project.join("tierup.toml")).unwrap();
    assert!(!settings.contains("baseline"), "{settings}");
    // Runs the printed steps as a user does.
    passed("build", &tierup(&project, &["build", "--tiers", "3"]).output().unwrap());
    let settings = format!("{settings}\n[host.go.baseline]\n\"0\" = \"shop/baseline.CartTotal\"\n");
    fs::write(project.join("tierup.toml"), settings).unwrap();
    fs::create_dir(project.join("baseline")).unwrap();
    fs::write(project.join("baseline/baseline.go"), CONVERSION).unwrap();
    let add = steps.lines().find(|line| line.trim().starts_with("go mod edit")).expect("a command to type");
    let bind = "\tfunctions, err := hot.Bind(hot.Options{Baseline: &hot.Functions{CartTotal: baseline.CartTotal}})\n\
        \tif err != nil {\n\t\tpanic(err)\n\t}\n\thttp.HandleFunc(";
    let adopted = SERVER
        .replacen("\thttp.HandleFunc(", bind, 1)
        .replace("\t\"shop/prices\"", "\t\"shop/baseline\"\n\n\t\"tierup.local/hot\"")
        .replace("prices.Cart", "hot.Cart")
        .replace("prices.Item{Price: prices.Cents(price)}", "hot.Item{Price: price}")
        .replace("cart.Total(2)", "functions.CartTotal(cart, 2)");
    fs::write(project.join("main.go"), adopted).unwrap();
    for command in [add.trim(), "go mod tidy"] {
        passed(command, &Command::new("sh").args(["-c", command]).current_dir(&project).output().unwrap());
    }

    let (code, report) = check(&project);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("not written yet"), "{report}");
    let library = project.join("hot/src/lib.rs");
    let text = fs::read_to_string(&library).unwrap();
    let (start, end) = text.split_once("    let _ = (cart, rate);\n    Err(\"not written yet\".to_owned())\n").unwrap();
    fs::write(library, format!("{start}{IN_RUST}{end}")).unwrap();
    let (code, report) = check(&project);
    assert_eq!(code, Some(0), "{report}");
}
