//! Servers that answer only with errors do not agree.

use expect_test::expect;

use super::{check, server};

#[test]
fn servers_with_only_errors_do_not_agree() {
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
