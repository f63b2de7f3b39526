//! Published ways of counting that measured slower on every device so far. They stay for comparison, and tests check
//! their answers.

mod boards48;
mod depth_first;

pub(crate) use boards48::planes_of;
