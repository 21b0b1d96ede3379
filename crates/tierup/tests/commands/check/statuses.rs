//! Two servers that fail at everything agree about nothing.

use expect_test::expect;

use super::{check, greets, server};

#[test]
fn nothing_but_errors_is_no_agreement() {
    let fails = server(|_, _| (500, "no database".to_owned()));
    check(
        &fails,
        &fails,
        &["--requests", "requests.http", "--hostile", "10"],
        expect![[r#"
            exit code: 3
            -- stdout
            servers, compared with CONTROL: 12 requests (2 from the requests file, 10 hostile)

            CONTROL answers: 5xx 2 (from the requests file); 5xx 10 (hostile)

            row                             same  mismatch  error  skipped
            CONTROL (again)  12    0         0      0        ONLY ERRORS

            nothing but errors compared: CONTROL (again) (12 comparisons in N s, seed 1)
            -- stderr
            error: nothing but errors was compared: CONTROL answers no request of the file with success: 5xx 2 (from the requests file); 5xx 10 (hostile)
            hint: start what the server needs (a database, credentials), or name other requests with --requests"#]],
    );
}

#[test]
fn one_good_answer_is_enough_and_a_difference_is_still_one() {
    let (good, fails) = (server(greets), server(|_, _| (500, "no database".to_owned())));
    let half = server(|line: &str, body: &[u8]| match line.contains("/echo") {
        true => (500, "no database".to_owned()),
        false => greets(line, body),
    });
    check(
        &half,
        &half,
        &["--requests", "requests.http", "--hostile", "0"],
        expect![[r#"
        exit code: 0
        -- stdout
        servers, compared with CONTROL: 2 requests (2 from the requests file)

        CONTROL answers: 2xx 1, 5xx 1 (from the requests file)

        row                             same  mismatch  error  skipped
        CONTROL (again)  2     0         0      0        alike

        all rows answer alike: 2 comparisons in N s, seed 1
        -- stderr"#]],
    );
    let said = check(
        &fails,
        &good,
        &["--requests", "requests.http", "--hostile", "0", "--show", "0"],
        expect![[r#"
        exit code: 1
        -- stdout
        servers, compared with CONTROL: 2 requests (2 from the requests file)

        CONTROL answers: 5xx 2 (from the requests file)

        row                     same  mismatch  error  skipped
        CANDIDATE  0     2         0      0        DIFFERS

        2 more are not shown (--show N shows N)

        not alike: CANDIDATE (2 comparisons in N s, seed 1)
        -- stderr
        error: not alike: CANDIDATE"#]],
    );
    assert!(said.contains("DIFFERS"), "{said}");
}
