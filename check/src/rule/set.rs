//! A set of rules.

use std::fmt;

use kogge_board::bits::Bits;

use super::list::Rule;

/// A set of rules.
///
/// ```
/// use kogge_check::{Rule, RuleSet};
///
/// let set: RuleSet = [Rule::EnPassant, Rule::DoubleCheck].into_iter().collect();
/// assert!(set.contains(Rule::DoubleCheck) && !set.contains(Rule::Promotion));
/// assert_eq!(set.to_string(), "en-passant double-check");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct RuleSet(u64);

// One bit for each rule.
const _: () = assert!(Rule::ALL.len() <= 64);

impl RuleSet {
    /// Returns the rules in their order, special ones first.
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Bits(self.0).map(|bit| Rule::ALL[bit.trailing_zeros() as usize])
    }

    /// Returns whether a rule is in the set.
    pub const fn contains(self, rule: Rule) -> bool {
        self.0 >> rule as u32 & 1 != 0
    }

    /// Adds a rule.
    pub const fn insert(&mut self, rule: Rule) {
        self.0 |= 1 << rule as u32;
    }

    /// Adds the rules of another set.
    pub const fn insert_all(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of rules.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns the first rule, which is the most special one.
    pub fn first(self) -> Option<Rule> {
        self.iter().next()
    }
}

impl FromIterator<Rule> for RuleSet {
    fn from_iter<T: IntoIterator<Item = Rule>>(rules: T) -> Self {
        let mut set = Self::default();
        rules.into_iter().for_each(|rule| set.insert(rule));
        set
    }
}

/// A list of tags.
#[cfg(feature = "serde")]
impl serde::Serialize for RuleSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Writes the tags, with spaces between them.
impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, rule) in self.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { " " })?;
            f.write_str(rule.name())?;
        }
        Ok(())
    }
}
