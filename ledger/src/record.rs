//! Decides how answers are recorded, for all stores.

use std::collections::{BTreeMap, BTreeSet};

use crate::store::{Answer, Count, Given, Kind, Recorded};
use kogge_driver::Quantity;

/// Divides answers into new, repeated and different ones. `sort` is the sort of counts that the ledger has. `known` contains the
/// count of every entry, or `None` for an entry that is not counted yet. If the list has two answers for an entry, the second is
/// compared with the first.
///
/// # Errors
/// If an entry does not exist, or if an answer is not of the ledger's kind, with a description.
pub(super) fn classify(
    sort: (Kind, Quantity),
    answers: &[Answer],
    known: &BTreeMap<u64, Option<Count>>,
) -> Result<Recorded, String> {
    let mut known = known.clone();
    let mut recorded = Recorded::default();
    for &answer in answers {
        let id = answer.id;
        let slot = known.get_mut(&id).ok_or_else(|| format!("entry {id}, which was counted, is not in it"))?;
        if !answer.count.is_of(sort) {
            return Err(format!("the answer to entry {id} is of another kind"));
        }
        match *slot {
            None => {
                *slot = Some(answer.count);
                recorded.new.push(answer);
            }
            Some(count) if count == answer.count => recorded.repeated.push(answer),
            Some(count) => recorded.different.push((answer, count)),
        }
    }
    Ok(recorded)
}

/// Returns the accepted answer: the answer that at least two [implementations](crate::Source::implementation) gave, and more
/// implementations than gave any other answer.
pub fn verdict(answers: &[Given]) -> Option<Count> {
    let mut sources: BTreeMap<Count, BTreeSet<&str>> = BTreeMap::new();
    for Given { count, source, .. } in answers {
        sources.entry(*count).or_default().insert(source.implementation());
    }
    let mut ranking: Vec<_> = sources.iter().map(|(&count, sources)| (sources.len(), count)).collect();
    ranking.sort_unstable_by(|a, b| b.cmp(a));
    match ranking[..] {
        [(first, _), (second, _), ..] if first == second => None,
        [(first, count), ..] if first >= 2 => Some(count),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use kogge_board::Categories;

    use super::*;
    use crate::source::Source;
    use crate::store::Size;

    fn given(count: u128, backend: &str, variant: &str) -> Given {
        let source = Source {
            backend: backend.to_owned(),
            device: "any".to_owned(),
            variant: variant.to_owned(),
            kogge: "1".to_owned(),
            plan: String::new(),
        };
        Given { count: count.into(), source, at: 0, checksum: 0 }
    }

    const POSITIONS: (Kind, Quantity) = (Kind::Positions, Quantity::Leaves);
    const RANGES: (Kind, Quantity) = (Kind::Ranges, Quantity::Leaves);
    const BY_KIND: (Kind, Quantity) = (Kind::Ranges, Quantity::Categories);

    #[test]
    fn two_implementations_settle_a_dispute() {
        for (answers, expected) in [
            (vec![], None),
            (vec![given(7, "cpu", "avx2")], None),
            (vec![given(7, "cpu", "avx2"), given(8, "opencl", "")], None),
            (vec![given(7, "cpu", "avx2"), given(8, "opencl", ""), given(8, "mailbox", "")], Some(8)),
            (vec![given(7, "cpu", "avx2"), given(8, "opencl", ""), given(7, "cpu", "portable")], None),
            // Two answers of one implementation count once, whatever their variants.
            (vec![given(7, "cpu", "avx2"), given(8, "opencl", ""), given(8, "opencl", "(tuned)")], None),
            (vec![given(7, "cpu", "avx2"), given(8, "opencl", ""), given(9, "mailbox", "")], None),
            (vec![given(7, "a", ""), given(7, "b", ""), given(8, "c", ""), given(8, "d", "")], None),
        ] {
            assert_eq!(verdict(&answers), expected.map(Count::from), "{answers:?}");
        }
    }

    #[test]
    fn answers_are_new_repeated_or_different() {
        let known = BTreeMap::from([(1, None), (2, Some(20.into())), (3, Some(30.into()))]);
        let answers = [(1, 10), (2, 20), (3, 31), (1, 11)].map(|(id, count)| Answer { id, count: count.into() });
        let recorded = classify(POSITIONS, &answers, &known).expect("all entries exist");
        assert_eq!(recorded.new, [answers[0]]);
        assert_eq!(recorded.repeated, [answers[1]]);
        assert_eq!(recorded.different, [(answers[2], 30.into()), (answers[3], 10.into())]);
        let missing = classify(POSITIONS, &[Answer { id: 4, count: 0.into() }], &known);
        assert_eq!(missing, Err("entry 4, which was counted, is not in it".to_owned()));
        assert!(classify(RANGES, &answers, &known).is_err());
    }

    #[test]
    fn counts_of_ranges_differ_in_any_number() {
        let count =
            |leaves, positions, paths| Count { leaves, size: Some(Size { positions, paths }), categories: None };
        let known = BTreeMap::from([(1, Some(count(10, 5, 7)))]);
        for (found, is_equal) in
            [(count(10, 5, 7), true), (count(11, 5, 7), false), (count(10, 6, 7), false), (count(10, 5, 8), false)]
        {
            let recorded = classify(RANGES, &[Answer { id: 1, count: found }], &known).expect("it exists");
            assert_eq!((recorded.repeated.len(), recorded.different.len()), (is_equal.into(), (!is_equal).into()));
        }
        // Counts by kind are equal only if every kind is equal.
        let by_kind = |numbers| Count { categories: Some(Categories::from_array(numbers)), ..count(10, 5, 7) };
        let known = BTreeMap::from([(1, Some(by_kind([10; Categories::COUNT])))]);
        for kind in 1..Categories::COUNT {
            let mut numbers = [10; Categories::COUNT];
            numbers[kind] = 9;
            let recorded = classify(BY_KIND, &[Answer { id: 1, count: by_kind(numbers) }], &known).expect("it exists");
            assert_eq!(recorded.different.len(), 1);
        }
        assert!(classify(RANGES, &[Answer { id: 1, count: by_kind([10; Categories::COUNT]) }], &known).is_err());
        assert!(classify(BY_KIND, &[Answer { id: 1, count: count(10, 5, 7) }], &known).is_err());
    }
}
