//! Tests the page of a profile in Chromium, over the pipe of its developer tools. `cargo xtask test browser` runs this;
//! a plain `cargo test` does not, as not everybody has Chromium.

#[path = "../../tierup-bench/tests/browser/devtools.rs"]
#[expect(dead_code, reason = "it serves the reports' tests too")]
mod devtools;

use serde_json::{Value, json};
use tierup_codegen::{FrameKind, FrameRule, PackageEnds, Pattern};
use tierup_profile::{Comparison, FlamePage, Naming, Profile, Reading, Report, rank, read};
use tierup_report::{Exporter as _, Html};

use devtools::{Opened, open};

const RULES: &[FrameRule] = &[
    FrameRule::function(Pattern::Is("(garbage collector)"), FrameKind::Collector),
    FrameRule::function(Pattern::Is("(program)"), FrameKind::Native),
    FrameRule::function(Pattern::Is("jit"), FrameKind::Jit),
    FrameRule::function(Pattern::Is("write"), FrameKind::Io),
    FrameRule::file(Pattern::Starts("node:"), FrameKind::Runtime),
    FrameRule::packages("/node_modules/", PackageEnds::Scoped),
];

const STACKS: &str = "\
answer (/srv/server.js:3);label (/srv/server.js:9);encode (/srv/node_modules/codes/index.js:2) 40
answer (/srv/server.js:3);label (/srv/server.js:9) 20
answer (/srv/server.js:3);write 10
emit (node:events:3) 10
(garbage collector) 8
(program) 5
jit 3
tcp_sendmsg_[k] 3
[unknown] 1
";

fn profile(text: &str) -> Profile {
    read(text.as_bytes(), &Reading { naming: Naming { rules: RULES, own: &[], maps: None }, ..Reading::default() })
        .expect("the stacks are well formed")
}

fn page(now: &str, before: Option<&str>) -> String {
    let (now, before) = (profile(now), before.map(profile));
    let ranking = rank(&now);
    let report = Report { title: "stacks.txt", ranking: &ranking, next: None, sensed: None, routes: None };
    let comparison = before.as_ref().map(|before| Comparison {
        title: "stacks.txt",
        profile: &now,
        before_title: "before.txt",
        before,
    });
    Html.export(&FlamePage { report, profile: &now, comparison, tierup: "test" })
}

/// The names of the boxes, in their order in the document.
const NAMES: &str = "[...document.querySelectorAll('#flame [data-box]')].map((box) => box.ariaLabel.split(' · ')[0])";
const FOCUSED: &str = "document.activeElement.ariaLabel?.split(' · ')[0] ?? document.activeElement.id";

#[test]
fn the_graph_can_be_navigated_zoomed_and_searched_by_keys() {
    let mut page = open(&page(STACKS, None)).browser;
    let all = json!([
        "answer", "label", "encode", "write", "emit", "(garbage collector)", "(program)", "jit", "tcp_sendmsg",
        "[unknown]"
    ]);
    assert_eq!(page.evaluate(NAMES), all);
    // The graph is one stop of the Tab key; arrow keys move within it.
    assert_eq!(page.evaluate("document.querySelectorAll('#flame [tabindex=\"0\"]').length"), json!(1));
    page.evaluate("document.querySelector('#flame [tabindex=\"0\"]').focus()");
    let mut walk = |keys: &[&str]| -> Value {
        keys.iter().for_each(|key| page.press(key, if *key == "Enter" { "\r" } else { "" }));
        page.evaluate(FOCUSED)
    };
    assert_eq!(walk(&[]), json!("answer"));
    assert_eq!(walk(&["ArrowRight"]), json!("emit"));
    assert_eq!(walk(&["ArrowLeft", "ArrowDown", "ArrowDown"]), json!("encode"));
    assert_eq!(walk(&["ArrowUp", "Enter"]), json!("label"));
    // The focus stays when the graph is laid out again.
    page.resize(700);
    page.settle();
    assert_eq!(page.evaluate(FOCUSED), json!("label"));
    assert_eq!(page.evaluate(NAMES), json!(["answer", "label", "encode"]));
    let wide = "(() => { const [graph, box] = ['#flame', '#flame [data-box=\"1\"]'].map((it) =>
        document.querySelector(it).getBoundingClientRect().width); return box / graph > 0.99; })()";
    assert_eq!(page.evaluate(wide), json!(true));
    assert_eq!(
        page.evaluate("document.getElementById('flame-detail').textContent"),
        json!("label · /srv/server.js:9 · your own code · total 60.0 %, self 20.0 %")
    );
    page.press("Escape", "");
    page.press("Escape", "");
    assert_eq!(page.evaluate(NAMES), all);

    page.press("/", "/");
    assert_eq!(page.evaluate(FOCUSED), json!("flame-search"));
    let look = |text: &str| {
        format!(
            "(() => {{ const field = document.getElementById('flame-search'); field.value = '{text}';
            field.dispatchEvent(new Event('input')); return [document.getElementById('flame-found').textContent,
            document.querySelectorAll('#flame .found').length]; }})()"
        )
    };
    // Time of a found function below another found one counts once.
    assert_eq!(page.evaluate(&look("server.js")), json!(["2 functions, 70.0 %", 2]));
    assert_eq!(page.evaluate(&look("CODES")), json!(["1 function, 40.0 %", 1]));
    assert_eq!(page.evaluate(&look("")), json!(["", 0]));
    page.evaluate(
        "[...document.querySelectorAll('.flame tbody button')].find((it) => it.textContent === 'encode').click()",
    );
    assert_eq!(page.evaluate("document.querySelectorAll('#flame .found').length"), json!(1));
}

#[test]
fn two_profiles_are_compared() {
    let before = "answer (/srv/server.js:3);gone (/srv/server.js:20) 60\nanswer (/srv/server.js:3) 40\n";
    let mut page = open(&page(STACKS, Some(before))).browser;
    let has_gone = format!("{NAMES}.includes('gone')");
    assert_eq!(page.evaluate(&has_gone), json!(false));
    page.evaluate("document.getElementById('flame-before').click()");
    assert_eq!(page.evaluate(NAMES), json!(["answer", "gone"]));
    assert_eq!(
        page.evaluate("document.querySelectorAll('#flame [data-box]')[1].ariaLabel"),
        json!("gone · /srv/server.js:20 · your own code · total 0.00 %, self 0.00 % · before 60.0 %")
    );
}

#[test]
fn hostile_names_run_nothing_and_nothing_is_fetched() {
    let hostile = format!(
        "</script><script>window.stolen=1</script>;<img src=http://127.0.0.1:1/x onerror=window.stolen=1> 5\n\u{202e}evil 3\n{} 2\n",
        "x".repeat(1_000_000)
    );
    for text in [&*hostile, STACKS] {
        let Opened { mut browser, address, _folder } = open(&page(text, None));
        assert_eq!(browser.evaluate("window.stolen === undefined"), json!(true));
        assert_eq!(browser.evaluate("document.querySelectorAll('#flame [data-box]').length > 2"), json!(true));
        assert_eq!(browser.complaints(), [""; 0]);
        let fetched: Vec<_> = browser.requests().into_iter().filter(|url| *url != address && url != "data:,").collect();
        assert_eq!(fetched, [""; 0]);
    }
}

#[test]
fn every_colour_is_legible_and_every_screen_is_wide_enough() {
    let mut page = open(&page(STACKS, None)).browser;
    // The contrast by WCAG 2.2. Browsers write mixed colours with components from 0 to 1.
    let least = "(() => {
        const luminance = (colour) => {
            const whole = colour.startsWith('color(') ? 1 : 255;
            const parts = colour.match(/[0-9.]+/g).slice(0, 3).map((part) => part / whole);
            const linear = parts.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
        };
        return Math.min(...[...document.querySelectorAll('#flame [data-box]')].map((box) => {
            const style = getComputedStyle(box);
            const shades = [luminance(style.color), luminance(style.backgroundColor)];
            return (Math.max(...shades) + 0.05) / (Math.min(...shades) + 0.05);
        }));
    })()";
    for scheme in ["light", "dark"] {
        page.prefer(scheme);
        let contrast = page.evaluate(least).as_f64().unwrap();
        assert!(contrast >= 4.5, "{scheme}: {contrast}");
    }
    for width in [360, 800, 1280, 1920] {
        page.resize(width);
        let size = page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
        assert!(size[0].as_u64() <= size[1].as_u64() && size[1] == json!(width), "{width}: {size}");
        assert_eq!(page.evaluate(&format!("{NAMES}.length > 5")), json!(true));
    }
}
