//! The database's address, passwords and certificates.

use std::{env, fs};

use tierup_ramp::{Courier, Database, SCHEMA, State};
use tierup_rollout::StoreUrl;

use crate::{
    common::{Process, postgres::Postgres},
    proxy::JUDGE,
};

#[test]
fn a_wrong_password_or_missing_tables_are_told_at_the_start() {
    if let Ok(url) = env::var(JUDGE) {
        let error = Database::connect(&url.parse().expect("an address")).expect_err("it is refused");
        print!("{error}\n{}\n", error.hint().unwrap_or_default());
        let started = Courier::start(&url.parse().expect("an address"), State::at("state".into()));
        assert_eq!(started.expect_err("it is refused").to_string(), error.to_string());
        return;
    }
    let postgres = Postgres::without_tables(&["--auth", "scram-sha-256"]);
    let told = |variables: &[(&str, &str)]| {
        let folder = tempfile::tempdir().expect("there is room");
        let name = "address::a_wrong_password_or_missing_tables_are_told_at_the_start";
        let mut command = Process::again(name, JUDGE, &postgres.address("tierup", "e"), folder.path());
        command.envs(variables.iter().copied()).env("HOME", folder.path());
        let printed = command.output().expect("it runs");
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        String::from_utf8_lossy(&printed.stdout).into_owned()
    };
    let wrong = told(&[("PGPASSWORD", "wrong")]);
    assert!(wrong.contains("Postgres: password authentication failed for user \"tierup\"\n"), "{wrong}");
    let none = told(&[]);
    assert!(none.contains("password missing"), "{none}");
    let tables = told(&[("PGPASSWORD", "s3:cret")]);
    assert!(tables.contains("`tierup ramp --show-config` prints the tables"), "{tables}");
    let file = postgres.folder.path().join("pass");
    fs::write(&file, "*:*:*:tierup:s3:cret\n").expect("there is room");
    let group = std::os::unix::fs::PermissionsExt::from_mode(0o640);
    fs::set_permissions(&file, group).expect("it is ours");
    let file = file.to_str().expect("it is text");
    let readable = told(&[("PGPASSFILE", file)]);
    assert!(readable.contains("others can read it"), "{readable}");
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(file, private).expect("it is ours");
    let file = told(&[("PGPASSFILE", file)]);
    assert!(file.contains("`tierup ramp --show-config` prints the tables"), "{file}");
}

#[test]
fn the_certificate_of_the_server_is_checked() {
    let mut postgres = Postgres::without_tables(&["--auth-host", "trust"]);
    postgres.ask(SCHEMA);
    let certificate = postgres.encrypt();
    let connect_to = |host: &str, parameters: &str| {
        let address = postgres.address("tierup", "f").replace("sslmode=disable", parameters).replace("127.0.0.1", host);
        Database::connect(&address.parse().expect("an address")).map(drop).map_err(|error| error.to_string())
    };
    let connect = |parameters: &str| connect_to("127.0.0.1", parameters);
    let rooted = format!("sslrootcert={certificate}");
    assert_eq!(connect(&rooted), Ok(()));
    let unknown = connect("sslmode=verify-full").expect_err("nobody vouches for it");
    assert!(unknown.contains("invalid peer certificate") || unknown.contains("no certificates"), "{unknown}");
    let other = connect_to("localhost", &rooted).expect_err("it has another name");
    assert!(other.contains("invalid peer certificate"), "{other}");
    let plain = connect("sslmode=disable").expect_err("it takes encrypted connections only");
    assert!(plain.contains("no encryption"), "{plain}");
}

#[test]
fn a_password_that_is_only_seen_when_the_address_is_read_is_refused() {
    let url: StoreUrl = "postgres://a@127.0.0.1:1/d?pass%77ord=secret".parse().expect("it looks like an address");
    let error = Database::connect(&url).expect_err("it is refused");
    assert!(error.to_string().contains("has a password") && !format!("{error:?}").contains("secret"), "{error:?}");
}

#[test]
fn only_a_judge_makes_a_rollout() {
    let postgres = Postgres::start();
    let database = Database::connect(&postgres.url("shpo")).expect("it lets us in");
    let error = database.holder().expect_err("there is none").to_string();
    assert!(error.contains("no rollout `shpo`"), "{error}");
    assert_eq!(postgres.ask("SELECT count(*) FROM tierup.rollout"), "0");
    let _lease = database.take().expect("it answers").expect("nobody else is there");
    assert!(database.holder().expect("it answers").is_some());
}
