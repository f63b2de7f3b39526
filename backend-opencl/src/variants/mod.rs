//! Published ways of finding attacks that measured slower on every device so far. They stay for comparison, and tests
//! check their answers.

pub(crate) mod magic;
