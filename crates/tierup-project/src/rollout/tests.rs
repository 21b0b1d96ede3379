//! Texts of `[rollout]`, and the settings read from them.

use tierup_rollout::{EnvoySettings, HaProxySettings, NginxSettings, Treatment};

use super::*;
use crate::keys::Section;

/// The settings in a text, or its problems.
fn of(text: &str) -> Result<RolloutSettings, String> {
    let document = Document::new("tierup.toml".to_owned(), text.to_owned());
    let parsed = document.parse().expect("TOML");
    let root = document.only(&parsed, "rollout");
    let settings = finished(&root, |root| read(root, &document, true));
    document.result().map(|()| settings).map_err(|failure| format!("{failure:?}"))
}

#[test]
fn missing_keys_have_the_documented_default() {
    let written: String = Section::find("rollout").expect("a section").defaults().collect();
    assert!(written.contains("hold = \"10m\"\n"), "{written}");
    assert_eq!(of(&written), Ok(RolloutSettings::default()));
    assert_eq!(of(""), Ok(RolloutSettings::default()));
}

#[test]
fn every_key_is_read() {
    let settings = of(r#"
        steps = ["10%", "99%"]
        sticky = "header:X-User-Id"
        deny = ["/logout", "/once/**"]
        routes = ["POST /orders/*"]
        safe = ["POST /duplicates", "PUT /sums/{id}"]
        attribute = "header:traceparent"
        hide = ["$.email"]
        notify = ["sh", "notify.sh"]
        show = ["page", "*"]
        through = "nginx"
        nginx.split = "/etc/nginx/split.conf"
        downstream.address = "http://payments.internal:8080"
    "#)
    .expect("settings");
    assert_eq!(settings.steps, ["10%", "99%"].map(|text| text.parse().expect("a part")));
    assert_eq!(settings.sticky, Some(Sticky::Header("x-user-id".into())));
    assert_eq!(settings.deny, ["/logout", "/once/**"]);
    assert_eq!(settings.routes, [RolloutRoute { method: "POST".into(), path: "/orders/*".into() }]);
    assert_eq!(settings.attribute, Some(Attribute::Header("traceparent".into())));
    let safe = [("POST", "/duplicates"), ("PUT", "/sums/{id}")];
    assert_eq!(settings.safe, safe.map(|(method, path)| RolloutRoute { method: method.into(), path: path.into() }));
    assert_eq!((settings.hide.len(), settings.show), (1, ["page", "*"].map(str::to_owned).to_vec()));
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let nginx = |sticky: Sticky, status: &str, reload: &str| {
        Through::Nginx(NginxSettings {
            split: "/etc/nginx/split.conf".into(),
            log: "/var/log/nginx/tierup.log".into(),
            status: status.parse().expect("an address"),
            sticky,
            test: words("nginx -t"),
            reload: words(reload),
        })
    };
    let header = Sticky::Header("x-user-id".into());
    assert_eq!(settings.notify, words("sh notify.sh"));
    assert_eq!(settings.through, nginx(header, "127.0.0.1:8099", "nginx -s reload"));
    let all = "through = \"nginx\"\nsticky = \"address\"\n[nginx]\nsplit = \"/etc/nginx/split.conf\"\nstatus = \"[::1]:81\"\n\
               reload = [\"sudo\", \"systemctl\", \"reload\", \"nginx\"]";
    assert_eq!(
        of(all).map(|settings| settings.through),
        Ok(nginx(Sticky::Address, "[::1]:81", "sudo systemctl reload nginx"))
    );
    let envoy = "sticky = \"cookie:id\"\nthrough = \"envoy\"\nenvoy = { log = \"/l\", admin = \"127.0.0.1:15000\" }";
    let expected = Through::Envoy(EnvoySettings {
        listen: ([127, 0, 0, 1], 18_090).into(),
        admin: ([127, 0, 0, 1], 15_000).into(),
        log: "/l".into(),
        sticky: Sticky::Cookie("id".into()),
    });
    assert_eq!(of(envoy).map(|settings| settings.through), Ok(expected));
    assert!(of(&envoy.replace("127.0.0.1", "0.0.0.0")).is_err(), "others could reach it");
    assert_eq!(settings.downstream.as_deref(), Some("http://payments.internal:8080"));
    let haproxy = "through = \"haproxy\"\nhaproxy = { socket = \"/run/x.sock\", backend = \"app\" }";
    assert!(of(haproxy).is_err(), "no request would be anybody's");
    let haproxy = of(&format!("sticky = \"address\"\n{haproxy}"));
    let map = "/etc/haproxy/tierup.map".into();
    let expected =
        HaProxySettings { socket: "/run/x.sock".into(), backend: "app".into(), map, sticky: Sticky::Address };
    assert_eq!(haproxy.map(|settings| settings.through), Ok(Through::HaProxy(expected)));
}

#[test]
fn safe_requests_are_judged_like_get_if_tierup_shares() {
    let available = Available { twin: true, golden: false, calls: false };
    let treatment = |more: &str| {
        let settings = of(&format!("safe = [\"POST /duplicates\"]\n{more}")).expect("settings");
        let (plan, notes) = settings.plan(available);
        assert_eq!(notes, Vec::<String>::new());
        plan.treatment("POST /duplicates")
    };
    assert_eq!(treatment(""), Treatment::Safe);
    assert_eq!(treatment("sticky = \"address\"\nthrough = \"nginx\"\nnginx.split = \"/x\""), Treatment::Effects);
}

#[test]
fn invalid_entries_of_safe_and_show_are_problems() {
    for (text, problem) in [
        ("safe = [\"/a\"]", "`/a` is not a method and a path"),
        ("safe = [\"GET /a\"]", "`safe` cannot name GET"),
        ("safe = [\"POST a\"]", "`safe`: `POST a` is not a pattern of paths"),
        (
            "routes = [\"POST /orders/**\"]\nsafe = [\"POST /sums\", \"POST /orders/search\"]",
            "`POST /orders/search` in `safe` and `POST /orders/**` in `routes` overlap",
        ),
        ("show = [\"access_token\"]", "`show`: `access_token` is the name of a credential"),
        ("show = [\"/a\"]", "`show`: `/a` is no part of a path"),
    ] {
        let found = of(text).expect_err("it is a problem");
        assert!(found.contains(problem), "{text}: {found}");
    }
}

#[test]
fn the_suggested_line_keeps_declared_routes() {
    let route = |path: &str| RolloutRoute { method: "POST".into(), path: path.into() };
    assert_eq!(line(&[route("/a")], std::iter::empty()), None);
    let said = line(&[route("/a")], [route("/b")].into_iter()).expect("one is not declared");
    assert!(said.contains("answers POST /b,") && said.ends_with("safe = [\"POST /a\", \"POST /b\"]"), "{said}");
}
