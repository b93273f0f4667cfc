use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

#[test]
fn finds_a_smaller_cover_than_greed_does() {
    // The greedy choice is rule 0, which covers four cells; two rules do.
    let cells = [
        vec![0, 1],
        vec![0, 1],
        vec![1],
        vec![0, 2],
        vec![0, 2],
        vec![2],
    ];
    assert_eq!(smallest_cover(&cells), [1, 2]);
    assert_eq!(smallest_cover(&[]), Vec::<u32>::new());
    assert_eq!(smallest_cover(&[vec![3, 7]]), [3]);
}

proptest! {
    #[test]
    fn is_as_small_as_any(cells in prop::collection::vec(prop::collection::btree_set(0_u32..8, 1..5), 0..8)) {
        let cells: Vec<Vec<u32>> =
            cells.into_iter().map(|cell| cell.into_iter().collect()).collect();
        let found = smallest_cover(&cells);
        let covers = |set: u32| {
            cells.iter().all(|cell| cell.iter().any(|rule| set & (1 << rule) != 0))
        };
        let smallest = (0..256_u32).filter(|set| covers(*set)).map(u32::count_ones).min();
        prop_assert_eq!(u32::try_from(found.len()).ok(), smallest);
        prop_assert!(covers(found.iter().fold(0, |set, rule| set | (1 << rule))));
    }
}
