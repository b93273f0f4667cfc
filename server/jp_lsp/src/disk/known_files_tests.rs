use camino::Utf8PathBuf;
use jp_config::graph::Roots;
use pretty_assertions::assert_eq;

use super::*;
use crate::disk::config_files::DiskFiles;

fn load(root: &Utf8Path, known: &Graph) -> Graph {
    let files = KnownFiles {
        inner: DiskFiles::trusted(),
        known,
    };
    Graph::load(&Roots::workspace_only(root), &files)
}

#[test]
fn what_says_the_same_is_shared_and_what_does_not_is_read() {
    let home = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(home.path().to_owned()).unwrap();
    let write = |name: &str, text: &str| std::fs::write(root.join(".jp").join(name), text).unwrap();
    std::fs::create_dir(root.join(".jp")).unwrap();
    write("config.toml", "extends = [\"a.toml\", \"b.json\"]\n");
    write("a.toml", "[assistant]\nname = \"Ada\"\n");
    write("b.json", "{}");
    let first = load(&root, &Graph::default());
    assert_eq!(first.files.len(), 3);
    write("a.toml", "[assistant]\nname = \"Bob\"\n");
    let second = load(&root, &first);
    let shared = ["config.toml", "a.toml"].map(|name| {
        let content = |graph: &Graph| {
            let file = graph.file_at(&root.join(".jp").join(name)).unwrap();
            Arc::clone(graph.content(file).unwrap())
        };
        let (one, other) = (content(&first), content(&second));
        (
            other.document().unwrap().text().len(),
            Arc::ptr_eq(&one, &other),
        )
    });
    assert_eq!(shared, [(31, true), (25, false)]);
    std::fs::remove_file(root.join(".jp/a.toml")).unwrap();
    assert_eq!(load(&root, &first).problems.len(), 1);
}
