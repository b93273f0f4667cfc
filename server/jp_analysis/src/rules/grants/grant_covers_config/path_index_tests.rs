use camino::Utf8Path;
use pretty_assertions::assert_eq;

use super::PathIndex;

const PATHS: [&str; 7] = ["a", "a/b", "a/b/c", "a-b", "a.toml", "b/c", "b/c"];

fn between(path: &str, deeper: &[&str]) -> Vec<usize> {
    let index = PathIndex::new(PATHS.iter().enumerate().map(|(at, path)| (path.into(), at)));
    let deeper: Vec<&Utf8Path> = deeper.iter().copied().map(Utf8Path::new).collect();
    let ranges = index.between(Utf8Path::new(path), &deeper);
    let mut places: Vec<usize> = ranges
        .into_iter()
        .flatten()
        .map(|at| index.get(at).expect("the range lies in the index").1)
        .collect();
    places.sort_unstable();
    places
}

#[test]
fn what_lies_below_a_path_goes_by_components() {
    assert_eq!(between("a", &[]), [0, 1, 2]);
    assert_eq!(between("b", &[]), [5, 6]);
    assert_eq!(between("", &[]), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(between("c", &[]), [0; 0]);
}

#[test]
fn what_lies_below_a_deeper_path_is_left_out() {
    assert_eq!(between("a", &["a/b"]), [0]);
    assert_eq!(between("", &["a", "a/b", "b"]), [3, 4]);
    assert_eq!(between("", &["a/b/c", "a/x", "b/c"]), [0, 1, 3, 4]);
}
