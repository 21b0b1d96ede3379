//! Tests the page in Chromium, over the pipe of its developer tools. `cargo xtask test browser` runs this; a plain
//! `cargo test` does not, as not everybody has Chromium.

#[path = "browser/devtools.rs"]
mod devtools;
mod sample;

use serde_json::json;
use tierup_bench::report::{RunReport, html};
use tierup_report::html::{Chapters, Outcome, Page, Step};

use devtools::{Opened, open};

fn report(servers: &[sample::Server]) -> String {
    let (record, analysis) = sample::run(servers, 3);
    html::render(&record, &analysis)
}

/// The labels of the table's rows, in their order on the page.
const LABELS: &str =
    "[...document.querySelectorAll('tbody')[0].rows].map((row) => row.querySelector('.label').textContent)";

fn every_page() -> Vec<(&'static str, String)> {
    let (record, analysis) = sample::run(&sample::servers(), 3);
    let (hostile, hostile_analysis) = sample::hostile();
    vec![
        ("servers", html::render(&record, &analysis)),
        ("hosts", report(&sample::two_hosts())),
        ("thirty rows", report(&sample::thirty_rows())),
        ("nothing", report(&[])),
        ("hostile", html::render(&hostile, &hostile_analysis)),
        (
            "comparison",
            html::compare(&[RunReport::new(&record, &analysis), RunReport::new(&hostile, &hostile_analysis)]),
        ),
    ]
}

#[test]
fn a_page_of_chapters_works_like_its_pages() {
    let (record, analysis) = sample::run(&sample::servers(), 3);
    let run = RunReport::new(&record, &analysis);
    let step = |id, page: Page| Step { id, title: "Step", outcome: Outcome::Done(page.into()) };
    let chapters = Chapters {
        heading: "shop".to_owned(),
        generator: String::new(),
        conclusions: Vec::new(),
        steps: vec![step("ceiling", html::brief(run)), step("bench", html::page(run))],
    };
    let mut page = open(&chapters.render()).browser;
    let repeated = "(() => { const ids = [...document.querySelectorAll('[id]')].map((it) => it.id);
        return ids.filter((id, index) => ids.indexOf(id) !== index); })()";
    assert_eq!(page.evaluate(repeated), json!([]));
    page.evaluate("document.querySelectorAll('#bench thead button')[1].click()");
    let order = "[...document.querySelectorAll('thead th')].filter((head) => head.getAttribute('aria-sort')).length";
    assert_eq!(page.evaluate(order), json!(1));
    assert_eq!(page.evaluate("document.querySelector('#latency .reading') !== null"), json!(true));
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn headings_sort_by_click_and_by_key() {
    let mut page = open(&report(&sample::servers())).browser;
    let button = |column: usize| format!("document.querySelectorAll('thead button')[{column}]");
    let order = "document.querySelectorAll('thead th')[1].getAttribute('aria-sort')";
    assert_eq!(page.evaluate(LABELS), json!(["0", "0:free", "1:spawn", "2:core", "3:native", "4:server"]));

    // The best row comes first; the row without a figure stays last in both directions.
    page.evaluate(&format!("{}.click()", button(1)));
    assert_eq!(page.evaluate(LABELS), json!(["0:free", "3:native", "2:core", "0", "1:spawn", "4:server"]));
    assert_eq!(page.evaluate(order), json!("ascending"));

    page.evaluate(&format!("{}.focus()", button(1)));
    page.press("Enter", "\r");
    assert_eq!(page.evaluate(LABELS), json!(["1:spawn", "0", "2:core", "3:native", "0:free", "4:server"]));
    assert_eq!(page.evaluate(order), json!("descending"));

    page.evaluate(&format!("{}.click()", button(3)));
    assert_eq!(page.evaluate(&format!("{LABELS}[0]")), json!("0:free"));
    assert_eq!(page.evaluate(order), json!(null));
    page.evaluate(&format!("{}.click()", button(0)));
    assert_eq!(page.evaluate(&format!("{LABELS}[0]")), json!("0"));
}

#[test]
fn choices_show_and_hide() {
    let mut page = open(&report(&sample::servers())).browser;
    let seen = |selector: &str| format!("document.querySelector(`{selector}`).getClientRects().length > 0");
    assert_eq!(page.evaluate(&seen("td .absolute")), json!(true));
    page.evaluate("document.getElementById('figures-relative').click()");
    assert_eq!(page.evaluate(&seen("td .absolute")), json!(false));
    assert_eq!(page.evaluate(&seen("td .relative")), json!(true));
    page.evaluate("document.getElementById('figures-absolute').click()");
    assert_eq!(page.evaluate(&seen("td .relative")), json!(false));

    assert_eq!(page.evaluate(&seen(".forest-cpu")), json!(true));
    assert_eq!(page.evaluate(&seen(".forest-memory")), json!(false));
    page.evaluate("document.getElementById('forest-memory').click()");
    assert_eq!(page.evaluate(&seen(".forest-cpu")), json!(false));
    assert_eq!(page.evaluate(&seen(".forest-memory")), json!(true));

    assert_eq!(page.evaluate(&seen("#latency .wide .row-4")), json!(true));
    page.evaluate("document.getElementById('show-row-4').click()");
    assert_eq!(page.evaluate(&seen("#latency .wide .row-4")), json!(false));
    assert_eq!(page.evaluate(&seen("#latency .wide .row-3")), json!(true));
}

#[test]
fn paper_shows_all_comparisons_and_no_controls() {
    let mut page = open(&report(&sample::servers())).browser;
    page.print();
    let seen = |selector: &str| {
        format!("[...document.querySelectorAll('{selector}')].filter((at) => at.getClientRects().length > 0).length")
    };
    assert_eq!(page.evaluate(&seen(".forest")), json!(4));
    assert_eq!(page.evaluate(&seen("input")), json!(0));
    assert_eq!(page.evaluate(&seen("tbody tr")), json!(6));
}

#[test]
fn the_latency_curve_can_be_read() {
    let mut page = open(&report(&sample::servers())).browser;
    let reading = "[...document.querySelectorAll('.reading > div')].map((line) => line.innerText.replace('\\n', ' '))";
    page.evaluate("document.querySelector('#latency .wide').scrollIntoView()");
    page.evaluate("document.querySelector('#latency .wide').focus({ focusVisible: true })");
    page.press("ArrowRight", "");
    let lines = page.evaluate(reading);
    assert!(lines[0].as_str().unwrap().starts_with("share 9"), "{lines}");
    // The slowest row comes first, as in the drawing; the server that failed has no curve.
    let labels = page.evaluate("[...document.querySelectorAll('.reading bdi')].map((label) => label.textContent)");
    assert_eq!(labels, json!(["share", "1:spawn", "0", "2:core", "3:native", "0:free"]));
    assert!(lines[1].as_str().unwrap().ends_with(" ms"), "{lines}");
    page.press("Escape", "");
    assert_eq!(page.evaluate(reading), json!([]));

    // At the left edge of the plot, all rows are at their minimum; at the right one, at their maximum.
    let point = |share: f64| {
        format!(
            "(() => {{ const svg = document.querySelector('#latency .wide');
            const box = svg.querySelector('.plot').getBoundingClientRect();
            svg.dispatchEvent(new PointerEvent('pointermove', {{ clientX: box.left + {share} * box.width }}));
            return Number.parseFloat(document.querySelectorAll('.reading > div')[1].lastChild.textContent); }})()"
        )
    };
    let (least, most) = (page.evaluate(&point(0.0)).as_f64().unwrap(), page.evaluate(&point(1.0)).as_f64().unwrap());
    assert!(least < most, "{least} {most}");
    let box_inside = page.evaluate(
        "(() => { const box = document.querySelector('.reading').getBoundingClientRect();
        return box.left >= 0 && box.right <= innerWidth; })()",
    );
    assert_eq!(box_inside, json!(true));
}

#[test]
fn no_page_logs_errors_or_uses_the_network() {
    for (name, text) in every_page() {
        let Opened { mut browser, address, _folder } = open(&text);
        assert_eq!(browser.evaluate("window.stolen === undefined"), json!(true), "{name}");
        assert_eq!(browser.complaints(), [""; 0], "{name}");
        let fetched: Vec<_> = browser.requests().into_iter().filter(|url| *url != address && url != "data:,").collect();
        assert_eq!(fetched, [""; 0], "{name}");
    }
}

#[test]
fn every_page_fits_every_screen() {
    for (name, text) in every_page() {
        let mut page = open(&text).browser;
        for width in [360, 640, 800, 1280, 1920] {
            page.resize(width);
            let size = page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
            assert!(size[0].as_u64() <= size[1].as_u64() && size[1] == json!(width), "{name} at {width}: {size}");
            let cut = page.evaluate(CUT_TEXTS);
            assert_eq!(cut, json!([]), "{name} at {width}");
        }
    }
}

/// Texts of drawings that reach beyond their drawing.
const CUT_TEXTS: &str = "[...document.querySelectorAll('svg text')].filter((text) => {
    const [box, frame] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
    return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1
        || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
}).map((text) => text.textContent)";

/// The contrast, by WCAG 2.2, between an element's text and the page behind it.
const CONTRAST: &str = "(selector) => {
    const luminance = (colour) => {
        const parts = colour.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255);
        const linear = parts.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const element = document.querySelector(selector);
    const style = getComputedStyle(element);
    const behind = (at) => {
        const colour = getComputedStyle(at).backgroundColor;
        return colour === 'rgba(0, 0, 0, 0)' && at.parentElement ? behind(at.parentElement) : colour;
    };
    const shades = [luminance(element.closest('svg') ? style.fill : style.color), luminance(behind(element))];
    return (Math.max(...shades) + 0.05) / (Math.min(...shades) + 0.05);
}";

#[test]
fn light_and_dark_are_legible() {
    let mut page = open(&report(&sample::servers())).browser;
    let texts = [
        "h1", ".about", ".banner", ".recommendation", ".note", ".tag.role", ".tag.pays", ".tag.fails", ".marks",
        "td .relative", "thead small", "svg .tick", "svg .name", "dt", "summary",
    ];
    let mut pages = Vec::new();
    for scheme in ["light", "dark"] {
        page.prefer(scheme);
        for selector in texts {
            let contrast = page.evaluate(&format!("({CONTRAST})('{selector}')")).as_f64().unwrap();
            assert!(contrast >= 4.5, "{selector} in {scheme}: {contrast}");
        }
        pages.push(page.evaluate("getComputedStyle(document.body).backgroundColor"));
    }
    assert_ne!(pages[0], pages[1]);
}

#[test]
fn nothing_moves_while_the_page_loads() {
    let mut page = open(&report(&sample::servers())).browser;
    let shifts = page.evaluate(
        "new Promise((resolve) => {
            let sum = 0;
            new PerformanceObserver((list) => list.getEntries().forEach((entry) => sum += entry.value))
                .observe({ type: 'layout-shift', buffered: true });
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
        })",
    );
    // On some machines, a late scroll bar moves everything by a pixel or two. Readers notice shifts from 0.1 on
    // ("Cumulative Layout Shift", web.dev).
    assert!(shifts.as_f64().is_some_and(|sum| sum < 0.01), "{shifts:?}");
}
