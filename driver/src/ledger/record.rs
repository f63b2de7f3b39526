//! Decides how answers are recorded, for all stores.

use std::collections::{BTreeMap, BTreeSet};

use super::store::{Answer, Given, Recorded, Source};

/// Sorts answers into new, repeated and different ones. `known` has the count of every entry, `None` if it is not counted
/// yet. If an entry has two answers in the list, the second is compared with the first.
///
/// # Errors
/// The first answer to an entry that does not exist.
pub(super) fn classify(answers: &[Answer], known: &BTreeMap<u64, Option<u128>>) -> Result<Recorded, u64> {
    let mut known = known.clone();
    let mut recorded = Recorded::default();
    for &answer in answers {
        let slot = known.get_mut(&answer.id).ok_or(answer.id)?;
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

/// Returns the accepted answer: at least two independent sources gave it, and more than gave any other answer. Sources
/// are independent if they differ in backend or variant, because the same code makes the same mistakes on any device.
pub fn verdict(answers: &[Given]) -> Option<u128> {
    let mut sources: BTreeMap<u128, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for Given { count, source: Source { backend, variant, .. }, .. } in answers {
        sources.entry(*count).or_default().insert((backend, variant));
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
    use super::*;

    fn given(count: u128, backend: &str, variant: &str) -> Given {
        let source = Source {
            backend: backend.to_owned(),
            device: "any".to_owned(),
            variant: variant.to_owned(),
            kogge: "1".to_owned(),
        };
        Given { count, source, at: 0 }
    }

    #[test]
    fn two_independent_sources_settle_a_dispute() {
        for (answers, expected) in [
            (vec![], None),
            (vec![given(7, "cpu", "avx2")], None),
            (vec![given(7, "cpu", "avx2"), given(8, "opencl", "")], None),
            (vec![given(7, "cpu", "avx2"), given(8, "opencl", ""), given(8, "mailbox", "")], Some(8)),
            (vec![given(7, "cpu", "avx2"), given(8, "opencl", ""), given(7, "cpu", "bmi")], Some(7)),
            // Two answers of the same code count once.
            (vec![given(7, "cpu", "avx2"), given(8, "opencl", ""), given(8, "opencl", "")], None),
            (vec![given(7, "cpu", "avx2"), given(8, "opencl", ""), given(9, "mailbox", "")], None),
            (vec![given(7, "a", ""), given(7, "b", ""), given(8, "c", ""), given(8, "d", "")], None),
        ] {
            assert_eq!(verdict(&answers), expected, "{answers:?}");
        }
    }

    #[test]
    fn answers_are_new_repeated_or_different() {
        let known = BTreeMap::from([(1, None), (2, Some(20)), (3, Some(30))]);
        let answers = [(1, 10), (2, 20), (3, 31), (1, 11)].map(|(id, count)| Answer { id, count });
        let recorded = classify(&answers, &known).expect("all entries exist");
        assert_eq!(recorded.new, [answers[0]]);
        assert_eq!(recorded.repeated, [answers[1]]);
        assert_eq!(recorded.different, [(answers[2], 30), (answers[3], 10)]);
        assert_eq!(classify(&[Answer { id: 4, count: 0 }], &known), Err(4));
    }
}
