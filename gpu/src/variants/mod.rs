//! Published ways of counting that measured slower on every device so far. They stay for comparison, and tests check
//! their answers.

mod depth_first;
