//! The package that is committed: whether it is there, fits, and is tierup's own.

use std::fs;

use tierup_codegen::Host;
use tierup_runner::Quiet;

use super::{project, reopened, write};
use crate::stub::{self, Standing, advice, check_free, own_folder, package_way, standing};

#[test]
fn a_package_is_current_until_the_interface_changes_or_a_file_is_lost() {
    for host in [tierup_host_node::node(), tierup_host_python::python(), tierup_host_go::go()] {
        let (folder, loaded) = project(&[host], "");
        let hosts = || [host as &dyn Host];
        assert_eq!((standing(&loaded, host), advice(&loaded, hosts())), (Standing::Missing, None));
        assert!(stub::write(&loaded, &hosts()).unwrap(), "{}", host.name());
        assert_eq!((standing(&loaded, host), advice(&loaded, hosts())), (Standing::Current, None));
        assert!(!stub::write(&loaded, &hosts()).unwrap(), "it is there");

        let settings = fs::read_to_string(folder.path().join("tierup.toml")).unwrap();
        let more = settings.replace("[\"shout\"]", "[\"shout\", \"fast\"]");
        write(folder.path(), &[("tierup.toml", &more)]);
        let changed = reopened(folder.path(), &[host]);
        assert_eq!(standing(&changed, host), Standing::Stale);
        let said = advice(&changed, hosts()).unwrap();
        assert!(said.contains("tierup/words lacks files, or is older") && said.contains("run `tierup stub`"), "{said}");
        assert!(stub::write(&changed, &hosts()).unwrap());
        assert_eq!(standing(&changed, host), Standing::Current);
    }

    let node = tierup_host_node::node();
    let health = |hash: char| {
        let hash = String::from(hash).repeat(64);
        format!("[health]\ncall = \"shout\"\narguments = [\"a\"]\nsha256 = \"{hash}\"\n")
    };
    let (folder, loaded) = project(&[node], &health('0'));
    stub::write(&loaded, &[node]).unwrap();
    assert_eq!(standing(&loaded, node), Standing::Current);
    let settings = fs::read_to_string(folder.path().join("tierup.toml")).unwrap();
    write(folder.path(), &[("tierup.toml", &settings.replace(&health('0'), &health('1')))]);
    assert_eq!(standing(&reopened(folder.path(), &[node]), node), Standing::Stale, "another golden answer");
    fs::remove_file(folder.path().join("tierup/words/package.json")).unwrap();
    assert_eq!(standing(&loaded, node), Standing::Stale);
}

#[test]
fn a_folder_with_files_of_others_is_refused() {
    let node = tierup_host_node::node();
    let (folder, loaded) = project(&[node], "");
    write(folder.path(), &[("tierup/words/mine.js", "mine")]);
    let failure = stub::write(&loaded, &[node]).unwrap_err().to_string();
    assert!(failure.contains("tierup/words` already exists, and tierup did not make it"), "{failure}");
    assert_eq!(fs::read_dir(folder.path().join("tierup/words")).unwrap().count(), 1);
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    check_free(&empty).unwrap();
}

#[test]
fn a_server_depends_on_the_package_that_is_committed() {
    let node = tierup_host_node::node();
    let (_folder, loaded) = project(&[node], "");
    let way = || package_way(&loaded, node, loaded.host("node").unwrap());
    assert_eq!(way(), "../.tierup/node");
    stub::write(&loaded, &[node]).unwrap();
    assert_eq!(way(), "../tierup/words");
}

#[test]
fn what_is_built_is_added_where_a_compiler_takes_one_folder_and_git_ignores_it() {
    let go = tierup_host_go::go();
    let (folder, loaded) = project(&[go], "");
    let added = stub::make(&loaded, go).unwrap().added;
    assert!(!added.is_empty());
    stub::write(&loaded, &[go]).unwrap();
    let ignored = fs::read_to_string(folder.path().join("tierup/words/.gitignore")).unwrap();
    added.iter().for_each(|path| assert!(ignored.contains(&format!("/go/{path}\n")), "{path}: {ignored}"));

    let name = added[0].trim_end_matches('/');
    let inside = if added[0].ends_with('/') { format!("{name}/deep/file") } else { name.to_owned() };
    write(&loaded.work, &[(&format!("go/{inside}"), "built"), ("go/elsewhere.txt", "not added")]);
    stub::complete(&loaded, go, &mut Quiet).unwrap();
    let own = folder.path().join(own_folder("words", go));
    assert_eq!(fs::read_to_string(own.join(&inside)).unwrap(), "built");
    assert!(!own.join("elsewhere.txt").exists());
}
