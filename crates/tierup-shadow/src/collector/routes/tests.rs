use super::*;
use crate::network::Witness;

fn named(names: &mut Names, method: &str, path: &str) -> String {
    let route = names.route(&method.parse().expect("a method"), path);
    names.table.name(route).to_string()
}

#[test]
fn a_name_has_no_identifiers() {
    let mut names = Names::new(Arc::new(Table::new(&[], Show::all())));
    for (path, expected) in [
        ("/", "GET /"),
        ("/orders/17/items/3", "GET /orders/*/items/*"),
        ("/v1/users", "GET /v1/users"),
        ("/o/123e4567-e89b-12d3-a456-426614174000", "GET /o/*"),
        ("/o/deadbeef0/", "GET /o/*/"),
        ("/reset/eyJhbGciOiJIUzI1NiJ9", "GET /reset/*"),
        ("/users/alice@example.org", "GET /users/*"),
        ("/users/caf%C3%A9", "GET /users/*"),
        ("/a/b/c/d/e/f/g/h/i/j/k/l/m", "GET /a/b/c/d/e/f/g/h/i/j/**"),
        ("*", "GET /*"),
    ] {
        assert_eq!(named(&mut names, "GET", path), expected);
    }
    assert_eq!(named(&mut names, "PURGE", "/"), "* /");
    assert_eq!(named(&mut names, "GET", &format!("/x/{}", "y".repeat(60_000))), "GET /x/*");
}

#[test]
fn many_parts_at_one_place_become_a_star() {
    let table = Arc::new(Table::new(&[], Show::all()));
    let (mut names, mut other) = (Names::new(Arc::clone(&table)), Names::new(table));
    for number in 0..1000_u32 {
        // Only letters, as in a person's name.
        let who: String = number.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
        named(if number % 2 == 0 { &mut names } else { &mut other }, "GET", &format!("/users/{who}/orders"));
    }
    assert_eq!(named(&mut names, "GET", "/users/alice/orders"), "GET /users/*/orders");
    assert_eq!(named(&mut other, "GET", "/users/b/orders"), "GET /users/*/orders");
    assert_eq!(named(&mut other, "GET", "/checkout"), "GET /checkout", "there is room for others");
}

#[test]
fn names_are_bounded_and_the_projects_routes_keep_theirs() {
    let table = Arc::new(Table::new(&["GET /people/{name}".to_owned(), "POST /people".to_owned()], Show::all()));
    let mut names = Names::new(Arc::clone(&table));
    for number in 0..1000_u32 {
        let what: String = number.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
        named(&mut names, "GET", &format!("/{what}.php"));
    }
    assert_eq!(table.names().len(), MOST_ROUTES + 2);
    // The name still says whether the method may change something.
    assert_eq!(named(&mut names, "GET", "/checkout"), "GET (others)");
    assert_eq!(named(&mut names, "HEAD", "/checkout"), "GET (others)");
    assert_eq!(named(&mut names, "POST", "/checkout"), "(others)");
    assert_eq!(named(&mut names, "GET", "/people/alice"), "GET /people/{name}");
    assert_eq!(named(&mut names, "POST", "/people"), "POST /people");
    assert_eq!(named(&mut Names::new(table), "GET", "/people/bob"), "GET /people/{name}");
}

#[test]
fn routes_of_a_rollout_keep_their_names_whatever_they_look_like() {
    let routes = ["PUT /users/*", "DELETE /cache/**", "POST /report-*", "POST /graphql-endpoint-v2", "POST /orders/*"];
    let of_project = ["POST /orders/{id}"];
    let all: Vec<String> = routes.into_iter().chain(of_project).map(str::to_owned).collect();
    let mut names = Names::new(Arc::new(Table::new(&all, Show::all())));
    for number in 0..1000_u32 {
        let what: String = number.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
        named(&mut names, "GET", &format!("/{what}.php"));
    }
    for (method, path, expected) in [
        ("PUT", "/users/anna", routes[0]),
        ("DELETE", "/cache/a/b", routes[1]),
        ("POST", "/report-7", routes[2]),
        ("POST", "/graphql-endpoint-v2", routes[3]),
        ("POST", "/orders/17", routes[4]),
    ] {
        assert_eq!(named(&mut names, method, path), expected);
    }
}

#[test]
fn a_part_of_a_path_is_written_once_several_clients_asked_for_it() {
    let table = Arc::new(Table::new(
        &["GET /given".to_owned()],
        Show::new(vec!["status".to_owned()]).and_parts_of(&["/out*".to_owned()]),
    ));
    let mut threads = [Names::new(Arc::clone(&table)), Names::new(Arc::clone(&table))];
    let mut of = |path: &str, client: u8| {
        let names = &mut threads[usize::from(client % 2)];
        let route = names.route(&Method::GET, path);
        names.used(route, || Witness::of_address([203, 0, 113, client].into()));
        table.name(route).to_string()
    };
    assert_eq!((of("/given", 1), of("/status/", 1)), ("GET /given".to_owned(), "GET /status/".to_owned()));
    assert_eq!(of("/outgoing", 1), "GET /outgoing");
    let hashed = of("/login/abcdefgh", 1);
    assert!(hashed.starts_with("GET /hmac:") && !hashed.contains("abcdefgh") && !hashed.contains("login"), "{hashed}");
    assert_eq!([of("/login/abcdefgh", 1), of("/login/abcdefgh", 2)], [hashed.clone(), hashed]);
    // Several clients are known to ask for paths with the same beginning.
    let other = of("/login/ijklmnop", 3);
    assert!(other.starts_with("GET /login/hmac:") && !other.contains("ijklmnop"), "{other}");
    assert!(of("/login/abcdefgh", 4).ends_with("/abcdefgh") && table.names().contains(&"GET /login/abcdefgh".into()));
}
